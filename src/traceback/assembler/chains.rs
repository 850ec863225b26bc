//! Whose exceptions follow: chains, the text of other processes, members of groups.

use super::{Assembler, Last, State};
use crate::traceback::grammar::Columns;
use crate::traceback::{Exception, Link, Span};

/// Whose exceptions follow: the chain that is being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) kind: ChainKind,
    /// The exception read last, by index.
    pub(super) last: Option<usize>,
    /// How the next one hangs on it.
    pub(super) link: Option<Link>,
}

impl Chain {
    pub(super) fn of(kind: ChainKind) -> Self {
        Self {
            kind,
            last: None,
            link: None,
        }
    }
}

/// The two lines above the text of another process: `multiprocessing.pool.RemoteTraceback:` and a quote.
#[derive(Debug)]
pub(crate) struct RemoteQuote {
    /// The quote: `"` or `'`, which stands there three times.
    pub(crate) mark: char,
    pub(crate) type_name: String,
    /// Where the first of them stands.
    pub(crate) at: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChainKind {
    Top,
    /// Between `"""` or `'''`.
    Remote(char),
    /// The text of a worker that stands below the exception which wraps it.
    Worker(usize),
    /// A member of a group, at this depth of margin.
    Member {
        group: usize,
        depth: usize,
    },
}

/// The type whose message is the text of a worker between quotes: `ExceptionWithTraceback` in
/// `billiard/einfo.py`, which Celery prints below the frames of its own.
const OF_CELERY: &str = "ExceptionWithTraceback";

impl Assembler {
    /// Opens the text of another process, whose quote stood above the head.
    pub(crate) fn open_remote(&mut self, quote: RemoteQuote) {
        self.traceback.at.line = quote.at.line;
        self.traceback.at.offset = quote.at.offset;
        self.traceback.remote_type = Some(quote.type_name);
        self.chains.push(Chain::of(ChainKind::Remote(quote.mark)));
    }

    pub(super) fn takes_quote(&self, quote: &str) -> bool {
        let mark = quote.chars().next().unwrap_or('"');
        self.remote_header()
            || self.state == State::Pending && self.layout().columns == Columns::Strict
            || self
                .chains
                .iter()
                .any(|c| c.kind == ChainKind::Remote(mark))
    }

    /// Returns whether the exception read last announces the text of another process.
    pub(super) fn remote_header(&self) -> bool {
        self.complete().is_some_and(|r| {
            r.short_type()
                .is_some_and(|t| t.ends_with("RemoteTraceback") || t == OF_CELERY)
                && r.message.iter().all(|m| m.trim().is_empty())
        })
    }

    pub(super) fn apply_quote(&mut self, quote: &str) {
        let mark = quote.chars().next().unwrap_or('"');
        if self.remote_header() {
            // The header is no failure of its own: the text below it takes its place.
            let header = self.traceback.exceptions.pop();
            self.traceback.remote_type = header.and_then(|header| header.type_name);
            self.continuation.take();
            self.forget_popped();
            self.chains.push(Chain::of(ChainKind::Remote(mark)));
            self.state = State::Open;
            self.last = Last::Border;
            self.frames.clear();
            return;
        }
        let Some(at) = self
            .chains
            .iter()
            .rposition(|c| c.kind == ChainKind::Remote(mark))
        else {
            // The text that it closes began before what was read; a separator may follow.
            return;
        };
        let inner = self.chains[at].last;
        let remote_type = self.traceback.remote_type.as_deref();
        let is_of_celery = remote_type.is_some_and(|t| t.ends_with(OF_CELERY));
        self.chains.truncate(at);
        let chain = self.chain_mut();
        chain.last = inner;
        // Celery's has no further part: its own frames stand above it.
        if !is_of_celery {
            chain.link = inner.map(|_| Link::Remote);
        }
        self.state = State::Pending;
        self.last = Last::Border;
    }

    /// Lets nothing point to the exception that was taken away last.
    pub(super) fn forget_popped(&mut self) {
        let popped = self.traceback.exceptions.len();
        for exception in &mut self.traceback.exceptions {
            exception.link = exception.link.filter(|(_, to)| *to < popped);
        }
        for chain in &mut self.chains {
            chain.last = chain.last.filter(|last| *last < popped);
        }
        self.chains.retain(|chain| match chain.kind {
            ChainKind::Worker(outer) => outer < popped,
            ChainKind::Member { group, .. } => group < popped,
            _ => true,
        });
    }

    pub(super) fn apply_separator(&mut self, link: Link, blanks: u32) {
        self.close_below();
        // Two empty lines: the worker's text ended with one of its own, so the chain is the outer one's.
        if blanks >= 2 && self.chains.len() > 1 && matches!(self.chain().kind, ChainKind::Worker(_))
        {
            self.chains.pop();
        }
        let chain = self.chain_mut();
        if chain.link != Some(Link::Remote) {
            chain.link = Some(link);
        }
        self.frames.clear();
        self.state = State::Open;
        self.last = Last::Separator;
    }

    pub(super) fn in_remote(&self) -> bool {
        self.chains
            .iter()
            .any(|c| matches!(c.kind, ChainKind::Remote(_)))
    }

    pub(super) fn start_member(&mut self, depth: usize) {
        self.end_members(depth);
        let group = self.traceback.exceptions.len().saturating_sub(1);
        let group = self.chain().last.unwrap_or(group);
        if self.traceback.exceptions.is_empty() {
            return;
        }
        self.chains
            .push(Chain::of(ChainKind::Member { group, depth }));
        self.margin = depth;
        self.in_group = true;
        self.state = State::Open;
        self.last = Last::Border;
        self.frames.clear();
    }

    /// Ends the members whose margin is at least that deep.
    pub(super) fn end_members(&mut self, depth: usize) {
        while let ChainKind::Member { depth: d, .. } = self.chain().kind {
            if d < depth {
                break;
            }
            self.chains.pop();
            if self.last == Last::Border || self.last == Last::Exception {
                self.state = State::Pending;
            }
        }
    }

    pub(super) fn chain(&self) -> &Chain {
        self.chains.last().expect("the top chain is never popped")
    }

    pub(super) fn chain_mut(&mut self) -> &mut Chain {
        self.chains
            .last_mut()
            .expect("the top chain is never popped")
    }

    /// Returns whether the exception read last is torch's wrapper of a worker's.
    pub(super) fn caught(&self) -> bool {
        self.complete()
            .and_then(|r| r.message.first())
            .is_some_and(|m| m.starts_with("Caught "))
    }

    /// Returns whether Ray's form follows: frames without a head below `RayTaskError(…)`, and below the error
    /// of an actor that could not be made.
    /// Source: Ray `python/ray/exceptions.py`, `RayTaskError.__str__` and `ActorDiedError`.
    pub(super) fn ray_task(&self) -> bool {
        const OF_CREATION: &str = "because of an error raised in its creation task";
        self.complete().is_some_and(|exception| {
            let name = exception.type_name.as_deref().unwrap_or_default();
            let first = exception.message.first();
            name.contains("RayTaskError") || first.is_some_and(|m| m.contains(OF_CREATION))
        })
    }

    /// Returns the exception read last, if the traceback may be complete with it.
    fn complete(&self) -> Option<&Exception> {
        let is_pending = self.state == State::Pending;
        self.traceback.exceptions.last().filter(|_| is_pending)
    }
}
