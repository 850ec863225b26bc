//! The code of a fix, as it would be pasted: whether it is Python, and what it does not define.

use std::collections::BTreeSet;

use tree_sitter::{Node, Parser, Tree};

use crate::corpus::rule::interpolation::{TextPart, code_parts};

/// Names that stand for the reader's own things; `corpus/README.md` lists them.
pub(super) const READERS: &str = "\
    accumulate app args argument batch build_model client compute connect criterion data dataset \
    device engine epoch extension_kernel fit function in_process items layer load_model loader \
    loop main make_client make_cuda_tensor make_handle make_tensor model name Net Node num_classes \
    num_workers obj optimizer other parser parts path pool prepare rank rdd run sampler sc \
    scheduler step task tensor tokenize train trainer Trainer unused_output validate work \
    worker_init_fn world_size x y";

/// The built-in functions, types and exceptions that code of rules uses, and a module's own names.
const BUILTINS: &str = "\
    __file__ __import__ __name__ AttributeError BaseException BrokenPipeError ChildProcessError \
    ConnectionError ConnectionResetError EOFError Exception FileExistsError FileNotFoundError \
    ImportError IndexError KeyError KeyboardInterrupt MemoryError NotImplementedError OSError \
    PermissionError ProcessLookupError RuntimeError StopIteration TimeoutError TypeError \
    UserWarning ValueError ZeroDivisionError abs all any bool bytearray bytes callable chr \
    classmethod compile delattr dict dir divmod enumerate eval exec filter float format frozenset \
    getattr globals hasattr hash hex id input int isinstance issubclass iter len list locals map \
    max memoryview min next object open ord pow print property range repr reversed round set \
    setattr slice sorted staticmethod str sum super tuple type vars zip";

/// The commands that a block for the shell begins with.
const COMMANDS: &str = "\
    accelerate apt celery conda dask deepspeed dmesg docker export getent gunicorn horovodrun ip \
    kubectl ls mkdir mpirun nc nvidia-smi pip podman ps pytest python python3 ray rm sbatch \
    setsid squeue srun sudo sysctl systemctl tail torchrun ulimit unset uvicorn vllm";

/// Returns whether a block is for the shell: `export X=1`, `X=1 python train.py`.
pub fn is_shell(code: &str) -> bool {
    let is_assignment = |word: &&str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        })
    };
    let line = code.trim_start().lines().next().unwrap_or_default();
    let mut words = line.split_whitespace().skip_while(is_assignment);
    words.next().is_some_and(|word| has(COMMANDS, word))
}

/// Returns whether a word is one of a list.
fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|own| own == word)
}

/// Returns what is wrong with a block: it is no Python, or uses a name that nothing defines.
pub(super) fn faults(code: &str) -> Vec<String> {
    let Ok(parts) = code_parts(code) else {
        return Vec::new(); // the lint of holes tells why
    };
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut text = String::new();
    for part in &parts {
        match part {
            TextPart::Plain(plain) => text.push_str(plain),
            TextPart::Hole { name, words, .. } => {
                let words = words.unwrap_or(name);
                names.insert(words);
                text.push_str(words);
            }
        }
    }
    if is_shell(&text) {
        return Vec::new();
    }
    let Some(tree) = python(&text) else {
        return Vec::new();
    };
    let root = tree.root_node();
    if root.has_error() {
        return vec!["the code is no Python, and no command that is known".to_owned()];
    }
    let mut read = Names {
        text: &text,
        bound: names,
        used: BTreeSet::new(),
    };
    read.node(root);
    let is_known =
        |name: &&&str| read.bound.contains(**name) || has(READERS, name) || has(BUILTINS, name);
    let unknown = read.used.iter().filter(|name| !is_known(name));
    unknown
        .map(|name| format!("`{name}` is not defined: import it, or define it"))
        .collect()
}

/// Reads a text as Python, as far as it is some.
fn python(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    let language = tree_sitter_python::LANGUAGE.into();
    parser.set_language(&language).ok()?;
    parser.parse(text, None)
}

/// Returns the words of a piece of Python, without comments, in the order in which they are met; none if it
/// is no Python.
#[cfg(test)]
pub(crate) fn python_words(code: &str) -> Option<Vec<&str>> {
    let tree = python(code)?;
    let mut words = Vec::new();
    let mut nodes = vec![tree.root_node()];
    while let Some(node) = nodes.pop() {
        if node.child_count() == 0 && !matches!(node.kind(), "comment" | "line_continuation") {
            words.push(&code[node.byte_range()]);
        }
        nodes.extend(node.children(&mut node.walk()));
    }
    (!tree.root_node().has_error()).then_some(words)
}

/// The names of a module, wherever they stand in it.
struct Names<'t> {
    text: &'t str,
    bound: BTreeSet<&'t str>,
    used: BTreeSet<&'t str>,
}

impl<'t> Names<'t> {
    fn of(&self, node: Node) -> &'t str {
        &self.text[node.byte_range()]
    }

    fn children(node: Node<'_>) -> Vec<Node<'_>> {
        node.named_children(&mut node.walk()).collect()
    }

    fn node(&mut self, node: Node) {
        match node.kind() {
            "identifier" => {
                self.used.insert(self.of(node));
                return;
            }
            "attribute" => return self.field(node, "object"),
            "keyword_argument" => return self.field(node, "value"),
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                return self.imports(node);
            }
            "function_definition" | "class_definition" | "named_expression" => {
                self.bind_field(node, "name");
            }
            "assignment" | "for_statement" | "for_in_clause" => self.bind_field(node, "left"),
            "as_pattern" => self.bind_field(node, "alias"),
            "parameters" | "lambda_parameters" | "as_pattern_target" | "global_statement" => {
                self.bind(node);
            }
            _ => {}
        }
        for child in Self::children(node) {
            self.node(child);
        }
    }

    fn field(&mut self, node: Node, name: &str) {
        if let Some(child) = node.child_by_field_name(name) {
            self.node(child);
        }
    }

    fn bind_field(&mut self, node: Node, name: &str) {
        if let Some(child) = node.child_by_field_name(name) {
            self.bind(child);
        }
    }

    /// Takes the names of a pattern: `a`, `(a, *b)`, `a: int = 1`, a list of parameters.
    fn bind(&mut self, node: Node) {
        match node.kind() {
            "identifier" => {
                self.bound.insert(self.of(node));
            }
            "default_parameter" | "typed_default_parameter" => self.bind_field(node, "name"),
            "typed_parameter" => {
                if let Some(name) = Self::children(node).first() {
                    self.bind(*name);
                }
            }
            "attribute" | "subscript" => {}
            _ => {
                for child in Self::children(node) {
                    self.bind(child);
                }
            }
        }
    }

    /// Takes what an import binds: `a` of `import a.b`, `c` of `import a as c` and `from a import c`.
    fn imports(&mut self, node: Node) {
        let module = node.child_by_field_name("module_name");
        for child in Self::children(node) {
            if Some(child) == module {
                continue;
            }
            let name = child.child_by_field_name("alias").unwrap_or(child);
            let name = self.of(name).split('.').next().unwrap_or_default();
            self.bound.insert(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_is_whole_has_no_fault() {
        for code in [
            "import a.b as c\nfrom d import e\nx = [c.z(i, k=e) for i, *j in items if (n := i)]",
            "def f(a, *b, c: int = 1, **d):\n    with open(a) as g:\n        return g, b, c, d",
            "try:\n    pass\nexcept (OSError, KeyError) as error:\n    print(f\"{error}\")",
            "«attribute|data».run(lambda q: q)",
            "import os.path\nprint(os.getcwd())",
            "export A=1\nls",
            "CUDA_LAUNCH_BLOCKING=1 python train.py",
        ] {
            assert_eq!(faults(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn what_is_not_imported_is_named() {
        let found = faults("def f():\n    lock = threading.Lock()\n    return lock");
        assert_eq!(
            found,
            ["`threading` is not defined: import it, or define it"]
        );
        assert_eq!(faults("print(f\"{gone}\")").len(), 1);
    }

    #[test]
    fn what_is_no_python_is_told() {
        assert_eq!(
            faults("for x in y\n    print(x)"),
            ["the code is no Python, and no command that is known"]
        );
    }
}
