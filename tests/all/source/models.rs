//! Models: layers that DDP waits for, and results that are sent with their graph.

use super::*;

const NET: &str = "\
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.extra = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.act = nn.ReLU()
    def forward(self, x):
        return self.body(x)
model = DistributedDataParallel(Net())
model(torch.ones(2, 4))
";

/// Returns what is named where DDP waits in the last line of a program.
fn unread(program: &str, told: &str) -> Option<Object> {
    let frame = last_frame(program, "<module>");
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"/venv/lib/python3.11/site-packages/torch/nn/parallel/distributed.py\", line 1797, in _pre_forward\n    \
         if torch.is_grad_enabled() and self.reducer._rebuild_buckets():\n\
         RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. \
         This error indicates that your module has parameters that were not used in producing loss. {told}\n"
    );
    named_of(program, &failure)
}

const INDICES: &str = "Parameter indices which did not receive grad for rank 1: 2 3";

#[test]
fn a_layer_that_nothing_reads() {
    let object = unread(NET, INDICES).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Net.extra", 8));
    let change = object.change.unwrap();
    assert!(change.patch.is_none(), "whether to use it is not for us");
    assert!(
        change.code.ends_with("\nself.extra.requires_grad_(False)"),
        "{}",
        change.code
    );
    // `read` knows no rules, so a message's further lines are none of it.
    let names = |names| {
        let told = format!("Parameters which did not receive grad for rank 1: {names}");
        unread(NET, &told).map(|o| o.path)
    };
    let extra = Some("Net.extra".to_owned());
    assert_eq!(names("extra.0.bias, extra.0.weight"), extra);
    assert_eq!(names("body.bias"), None);
    let two = NET.replace(
        "self.act = nn.ReLU()",
        "self.more = nn.Parameter(torch.ones(1))",
    );
    let both = unread(&two, INDICES).map(|o| o.path);
    assert_eq!(both.as_deref(), Some("Net.extra and Net.more"));
    let within = NET.replace("self.act = nn.ReLU()", "self.low = Net()");
    let within = unread(&within, INDICES).map(|o| o.path);
    assert_eq!(within.as_deref(), Some("Net.extra and Net.low"));
}

#[test]
fn layers_that_may_be_read() {
    let found = "Since `find_unused_parameters=True` is enabled, this likely means that not all `forward` outputs \
                 participate in computing loss.";
    assert!(unread(NET, found).is_none(), "they are used already");
    for (what, from, to) in [
        ("read", "self.body(x)", "self.extra(self.body(x))"),
        (
            "read elsewhere",
            "model(torch",
            "print(model.module.extra)\nmodel(torch",
        ),
        ("by its name", "self.body(x)", "getattr(self, 'extra')(x)"),
        (
            "with all",
            "self.body(x)",
            "nn.Sequential(*self.children())(x)",
        ),
        (
            "frozen",
            "self.act = nn.ReLU()",
            "self.extra.requires_grad_(False)",
        ),
        (
            "without weights",
            "nn.Sequential(nn.Linear(4, 4), nn.ReLU())",
            "nn.Dropout()",
        ),
        (
            "a library's model",
            "(nn.Module)",
            "(torchvision.models.ResNet)",
        ),
        ("not made", "Parallel(Net())", "Parallel(nn.Linear(4, 4))"),
        ("no model", "def forward", "def run"),
        (
            "made for some",
            "        self.extra",
            "        if self.training:\n            self.extra",
        ),
        (
            "made again",
            "self.act = nn.ReLU()",
            "self.extra = nn.ReLU()",
        ),
        (
            "with a variable's name",
            "self.body(x)",
            "self.__getattr__(self.layer)(x)",
        ),
        (
            "frozen by its name",
            "model(torch",
            "[p.requires_grad_(not n.startswith('extra.')) for n, p in model.named_parameters()]\nmodel(torch",
        ),
    ] {
        let other = NET.replace(from, to);
        assert_ne!(other, NET, "{what}");
        assert_eq!(unread(&other, INDICES), None, "{what}");
    }
    let other =
        NET[NET.find("class").unwrap()..NET.find("model =").unwrap()].replace("Net", "Other");
    let two = NET.replace("model =", &format!("{other}Other()\nmodel ="));
    assert_eq!(unread(&two, INDICES), None, "one of two models");
}

const AGENT: &str = "\
import torch
from concurrent.futures import ProcessPoolExecutor
net = torch.nn.Linear(4, 2)
def infer(x):
    y = net(x)
    return y, 1
with ProcessPoolExecutor(2) as ex:
    print(ex.submit(infer, torch.ones(4)).result())
";

/// Returns what is named where the result of the last line's task has its graph.
fn with_graph(program: &str) -> Option<Object> {
    let frame = last_frame(program, "<module>");
    let message = "RuntimeError: Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd \
                   does not support crossing process boundaries.";
    let frames = format!(
        "{frame}  File \"/usr/lib/python3.11/concurrent/futures/_base.py\", line 401, in __get_result\n    \
         raise self._exception\n"
    );
    let failure = not_sent_back(&frames, message);
    named_of(program, &failure)
}

#[test]
fn a_result_with_its_graph() {
    let object = with_graph(AGENT).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("y, 1", 6));
    let right = AGENT.replace("def infer", "@torch.no_grad()\ndef infer");
    assert_eq!(patched(AGENT, &object), Some(right));
    let code = object.change.unwrap().code;
    assert_eq!(code, "@torch.no_grad()\ndef infer(x):");
    for (what, from, to) in [
        (
            "it learns",
            "    return",
            "    y.sum().backward()\n    return",
        ),
        ("a global", "    return y", "    y = [KEPT]\n    return y"),
        (
            "a cache",
            "    return y",
            "    y = cache.get(x)\n    return y",
        ),
        (
            "a cached function",
            "def infer(x):",
            "@functools.cache\ndef kept():\n    return net(1)\ndef infer(x):\n    return kept()\ndef more(x):",
        ),
        (
            "another function's global",
            "def infer(x):",
            "def kept():\n    return KEPT[0]\ndef infer(x):\n    return kept()\ndef more(x):",
        ),
        (
            "with a graph of its own",
            "    return y",
            "    with torch.enable_grad():\n        y = x * 2\n    return y",
        ),
        ("decorated", "def infer", "@timed\ndef infer"),
    ] {
        let other = AGENT.replace(from, to);
        assert_ne!(other, AGENT, "{what}");
        let object = with_graph(&other).expect(what);
        assert_eq!(
            (object.change, object.refusal.is_some()),
            (None, true),
            "{what}"
        );
    }
    let two = AGENT.replace(
        "    y = net(x)\n",
        "    if x is None:\n        return x, 2\n    y = net(x)\n",
    );
    assert_eq!(with_graph(&two), None, "one of two results");
}

const TEXTS: &str = "\
from torch.utils.data import DataLoader, Dataset
class Texts(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, i):
        row = {'text': 'a'}
        return {'text': row['text'], 'note': row.get('note'), 'rank': row.get('rank', 0)}
for batch in DataLoader(Texts(), batch_size=2, num_workers=1):
    print(batch)
";

/// Returns the paths and lines that are named where a batch has a `None`.
fn nones(program: &str) -> Vec<(String, u32)> {
    let frame = frame(program, line_of(program, "for batch"), "<module>");
    let of_torch = "/venv/lib/python3.11/site-packages/torch/utils/data";
    let failure = format!(
        "Traceback (most recent call last):\n{frame}  \
         File \"{of_torch}/dataloader.py\", line 732, in __next__\n    data = self._next_data()\n\
         TypeError: Caught TypeError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n  \
         File \"{of_torch}/_utils/worker.py\", line 375, in _worker_loop\n    data = fetcher.fetch(index)\n  \
         File \"{of_torch}/_utils/collate.py\", line 398, in default_collate\n    \
         return collate(batch, collate_fn_map=default_collate_fn_map)\n\
         TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found \
         <class 'NoneType'>\n"
    );
    let Some(object) = named_of(program, &failure) else {
        return Vec::new();
    };
    let all = std::iter::once(&object).chain(&object.others);
    all.map(|o| (o.path.clone(), o.line)).collect()
}

#[test]
fn parts_of_a_sample_that_may_be_none() {
    assert_eq!(nones(TEXTS), [("row.get('note')".to_owned(), 7)]);
    let sure = TEXTS.replace("row.get('note')", "row.get('note', '')");
    assert_eq!(nones(&sure), []);
    let of_module = TEXTS
        .replace("row.get('note')", "requests.get('note')")
        .replace("import", "import requests\nimport");
    assert_eq!(nones(&of_module), []);
    let whole = sure.replace(
        "        row =",
        "        if i > 5:\n            return\n        row =",
    );
    assert_eq!(nones(&whole), [("Texts.__getitem__".to_owned(), 7)]);
}
