//! Expressions, and what is asked of one.

use std::rc::Rc;

use super::{Name, Place};

/// An expression.
#[derive(Clone, Debug)]
pub(in crate::source) struct Expr {
    pub(in crate::source) kind: ExprKind,
    pub(in crate::source) at: Place,
}

/// What an expression is, as far as it matters.
#[derive(Clone, Debug)]
pub(in crate::source) enum ExprKind {
    Name(Name),
    Attribute(Rc<Expr>, Name),
    Call(Rc<Call>),
    /// A lambda, by index.
    Lambda(usize),
    /// A list, tuple or set.
    Items(Vec<Rc<Expr>>),
    /// Keys and values; no key: `**value`.
    Dict(Vec<(Option<Rc<Expr>>, Rc<Expr>)>),
    Text(String),
    /// A number, bytes, `None`.
    Constant,
    /// A comparison, an f-string: data, with what it is made of.
    Data(Vec<Rc<Expr>>),
    Comprehension(Rc<Comprehension>),
    Subscript(Rc<Expr>, Rc<Expr>),
    /// `a or b`, `a if c else b`; the condition last, where there is one.
    Either(Vec<Rc<Expr>>, Option<Rc<Expr>>),
    Await(Rc<Expr>),
    /// `*a`
    Starred(Rc<Expr>),
    /// `a := b`
    Named(Rc<Expr>),
    /// `a + b`, `a | b`
    Operation(Rc<Expr>, Rc<Expr>),
    /// Anything else, with what is in it.
    Other(Vec<Rc<Expr>>),
}

/// A call.
#[derive(Clone, Debug)]
pub(in crate::source) struct Call {
    pub(in crate::source) func: Rc<Expr>,
    pub(in crate::source) args: Vec<Arg>,
    pub(in crate::source) at: Place,
}

impl Call {
    /// Returns what a method is called on, and its name.
    pub(in crate::source) fn method(&self) -> Option<(&Rc<Expr>, &Name)> {
        self.func.attribute()
    }

    /// Returns the argument of a name.
    pub(in crate::source) fn labelled(&self, label: &str) -> Option<&Arg> {
        self.args.iter().find(|a| a.label.as_deref() == Some(label))
    }
}

/// An argument.
#[derive(Clone, Debug)]
pub(in crate::source) struct Arg {
    pub(in crate::source) label: Option<Name>,
    /// 1: `*value`, 2: `**value`.
    pub(in crate::source) stars: u8,
    pub(in crate::source) value: Rc<Expr>,
}

/// A list, set, dict or generator built by `for`.
#[derive(Clone, Debug)]
pub(in crate::source) struct Comprehension {
    pub(in crate::source) element: Rc<Expr>,
    /// Targets with what they run over.
    pub(in crate::source) loops: Vec<(Rc<Expr>, Rc<Expr>)>,
    /// What stands after `if`.
    pub(in crate::source) tests: Vec<Rc<Expr>>,
    pub(in crate::source) is_generator: bool,
    /// Whether the element is a key with its value.
    pub(in crate::source) is_dict: bool,
}

impl Expr {
    /// Returns this expression and all within it, each before its parts.
    pub(in crate::source) fn walk(self: &Rc<Self>) -> impl Iterator<Item = &Rc<Self>> {
        let mut left = vec![self];
        std::iter::from_fn(move || {
            let next = left.pop()?;
            left.extend(next.parts().into_iter().rev());
            Some(next)
        })
    }

    /// Returns whether it is this name.
    pub(in crate::source) fn is_name(&self, name: &str) -> bool {
        matches!(&self.kind, ExprKind::Name(n) if **n == *name)
    }

    /// Returns the call that it is.
    pub(in crate::source) fn call(&self) -> Option<&Rc<Call>> {
        match &self.kind {
            ExprKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns what it is an attribute of, and its name.
    pub(in crate::source) fn attribute(&self) -> Option<(&Rc<Self>, &Name)> {
        match &self.kind {
            ExprKind::Attribute(base, name) => Some((base, name)),
            _ => None,
        }
    }

    /// Returns whether it is an attribute of this name, of whatever.
    pub(in crate::source) fn is_attribute(&self, name: &str) -> bool {
        self.attribute().is_some_and(|(_, n)| **n == *name)
    }

    /// Returns the text that it is.
    pub(in crate::source) fn text(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the calls in it.
    pub(in crate::source) fn calls(self: &Rc<Self>) -> impl Iterator<Item = &Rc<Call>> {
        self.walk().filter_map(|e| e.call())
    }

    /// Returns the names in it, with their places.
    pub(in crate::source) fn names(self: &Rc<Self>) -> impl Iterator<Item = (&Name, Place)> {
        self.walk().filter_map(|e| match &e.kind {
            ExprKind::Name(name) => Some((name, e.at)),
            _ => None,
        })
    }

    /// Returns the attributes of this name in it, with their places: `x` for `self.x`.
    pub(in crate::source) fn attributes_of(
        self: &Rc<Self>,
        of: &str,
    ) -> impl Iterator<Item = (&Name, Place)> {
        self.walk().filter_map(move |e| {
            let (base, name) = e.attribute()?;
            base.is_name(of).then_some((name, e.at))
        })
    }

    /// Returns the expressions directly within this one.
    pub(in crate::source) fn parts(&self) -> Vec<&Rc<Expr>> {
        match &self.kind {
            ExprKind::Name(_) | ExprKind::Lambda(_) | ExprKind::Text(_) | ExprKind::Constant => {
                Vec::new()
            }
            ExprKind::Attribute(base, _) => vec![base],
            ExprKind::Call(call) => {
                let args = call.args.iter().map(|a| &a.value);
                std::iter::once(&call.func).chain(args).collect()
            }
            ExprKind::Items(items) | ExprKind::Data(items) | ExprKind::Other(items) => {
                items.iter().collect()
            }
            ExprKind::Either(items, test) => items.iter().chain(test).collect(),
            ExprKind::Dict(items) => items
                .iter()
                .flat_map(|(key, value)| key.iter().chain([value]))
                .collect(),
            ExprKind::Comprehension(inner) => {
                let loops = inner.loops.iter().map(|(_, iter)| iter);
                let element = std::iter::once(&inner.element);
                element.chain(loops).chain(&inner.tests).collect()
            }
            ExprKind::Subscript(a, b) | ExprKind::Operation(a, b) => vec![a, b],
            ExprKind::Await(a) | ExprKind::Starred(a) | ExprKind::Named(a) => vec![a],
        }
    }

    /// Returns what the subscripts at the end are taken from, and these as written: `config` and `["io"]` for
    /// `config["io"]`; a key that is no text as `[...]`.
    pub(in crate::source) fn subscripted(&self) -> (&Self, String) {
        let ExprKind::Subscript(base, key) = &self.kind else {
            return (self, String::new());
        };
        let (root, keys) = base.subscripted();
        let keys = match &key.kind {
            ExprKind::Text(text) => format!("{keys}[\"{text}\"]"),
            _ => format!("{keys}[...]"),
        };
        (root, keys)
    }

    /// Returns the last name of what is called: `Pool` for `get_context("spawn").Pool`.
    pub(in crate::source) fn last_name(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
            _ => None,
        }
    }

    /// Returns a dotted name as it is written: `self.loader`; `None` for anything else.
    pub(in crate::source) fn dotted(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Name(name) => Some(name.to_string()),
            ExprKind::Attribute(base, name) => Some(format!("{}.{name}", base.dotted()?)),
            _ => None,
        }
    }
}
