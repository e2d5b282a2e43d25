//! Records that match a query → the query's answer.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::numbers::{Group, grouped};
use super::sentence::{conditions, counted, ending, enumeration, in_brackets, matching, where_clause};
use super::{Bound, Citation, Coverage, FragmentRef, MOST_CITATIONS, Reduced};
use crate::dialect::{MapAnswer, RecordMatch, Scalar};
use crate::query::{Query, Reduction};

/// Finishes a query from the answers of its fragments, in any order.
///
/// An answer in words says nothing about records: its fragment counts as missing.
pub fn reduce(query: &Query, answers: &[(FragmentRef, &MapAnswer)], coverage: Coverage) -> Reduced {
    let mut found: Vec<Found> = Vec::new();
    let mut coverage = coverage;
    for (fragment, answer) in answers {
        match answer {
            MapAnswer::Records { matches } => {
                found.extend(matches.iter().map(|record| Found { fragment, record }));
            }
            MapAnswer::Words { .. } | MapAnswer::Claims { .. } => {
                coverage.answered = coverage.answered.saturating_sub(1);
            }
        }
    }
    found.sort_by_key(|found| (found.fragment.id, found.record.line));
    found.dedup_by_key(|found| (found.fragment.id, found.record.line));
    let one_file = answers.windows(2).all(|pair| pair[0].0.file == pair[1].0.file);

    let records = Records { query, found, coverage, one_file };
    match query.reduction {
        Reduction::Count => records.count(),
        Reduction::List => records.list(),
        Reduction::Exists => records.exists(),
        Reduction::Find => records.find(),
        Reduction::Sum => records.total(),
        Reduction::Average => records.mean(),
        Reduction::Min => records.extreme(Ordering::Less),
        Reduction::Max => records.extreme(Ordering::Greater),
        Reduction::First => records.outermost("first"),
        Reduction::Last => records.outermost("last"),
        Reduction::Most => records.most(),
    }
}

/// A matching record and where it stands.
struct Found<'run> {
    fragment: &'run FragmentRef,
    record: &'run RecordMatch,
}

/// Everything that matched, in document order.
struct Records<'run> {
    query: &'run Query,
    found: Vec<Found<'run>>,
    coverage: Coverage,
    one_file: bool,
}

impl Records<'_> {
    fn count(&self) -> Reduced {
        let count = self.found.len();
        let text = match (count, self.coverage.is_full()) {
            (0, false) => return self.nothing(Bound::AtLeast),
            (count, true) if self.query.conditions.is_empty() => {
                format!("{} in all.", counted(count, "record"))
            }
            (count, full) => {
                let at_least = if full { "" } else { "At least " };
                format!("{at_least}{}{}{}", matching(count), in_brackets(self.query), self.ending())
            }
        };
        let counted = self.result(text, self.bound_when_partial(Bound::AtLeast), &self.all());
        Reduced { value: Some(count.to_string()), ..counted }
    }

    fn list(&self) -> Reduced {
        if self.found.is_empty() {
            return self.nothing(Bound::AtLeast);
        }
        let at_least = if self.coverage.is_full() { "" } else { "At least " };
        let count = matching(self.found.len());
        let text = match &self.query.measure {
            None => {
                let places: Vec<String> = self.found.iter().map(|found| self.place(found)).collect();
                let places = enumeration(&places);
                format!("{at_least}{count}{}: {places}{}", in_brackets(self.query), self.ending())
            }
            Some(field) => {
                let values = self.distinct_values();
                if values.is_empty() {
                    return self.valueless(field);
                }
                let conditions = conditions(self.query);
                let separator = if conditions.is_empty() { "" } else { "; " };
                format!(
                    "{at_least}{} ({} in {}{separator}{conditions}){}",
                    enumeration(&values),
                    counted(values.len(), "value"),
                    counted(self.found.len(), "record"),
                    self.ending(),
                )
            }
        };
        self.result(text, self.bound_when_partial(Bound::AtLeast), &self.all())
    }

    fn exists(&self) -> Reduced {
        if self.found.is_empty() {
            return self.nothing(Bound::Unknown);
        }
        let at_least = if self.coverage.is_full() { "" } else { "at least " };
        let text = format!("Yes: {at_least}{}{}.", matching(self.found.len()), in_brackets(self.query));
        self.result(text, Bound::Exact, &self.all())
    }

    fn find(&self) -> Reduced {
        if self.found.is_empty() {
            return self.nothing(Bound::Unknown);
        }
        let field = self.query.measure.as_deref().unwrap_or("record");
        let values = self.distinct_values();
        let text = match values.as_slice() {
            [] => return self.valueless(field),
            [one] => {
                let place = self.place(&self.found[0]);
                format!("The {field} is {one} ({place}){}", self.ending_where())
            }
            several => {
                let records = counted(self.found.len(), "record");
                format!("The {field} differs: {} in {records}{}", enumeration(several), self.ending_where())
            }
        };
        let value = match values.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        };
        Reduced { value, ..self.result(text, Bound::Exact, &self.all()) }
    }

    fn total(&self) -> Reduced {
        let field = self.field();
        self.computed(
            field,
            "total",
            |group| group.total().map(|amount| amount.to_string()),
            |groups| {
                if groups.iter().any(Group::has_negative) { Bound::Unknown } else { Bound::AtLeast }
            },
        )
    }

    fn mean(&self) -> Reduced {
        let field = self.field();
        self.computed(
            field,
            "average",
            |group| group.mean().map(|amount| amount.to_string()),
            |_| Bound::Unknown,
        )
    }

    /// A figure per group of values that can be added up.
    fn computed(
        &self,
        field: &str,
        name: &str,
        figure: impl Fn(&Group) -> Option<String>,
        partial: impl Fn(&[Group]) -> Bound,
    ) -> Reduced {
        if self.found.is_empty() {
            return self.nothing(Bound::Unknown);
        }
        let values = self.valued();
        let grouped = grouped(values.iter().map(|(_, value)| *value));
        let groups = &grouped.groups;
        let figures: Option<Vec<String>> = groups.iter().map(&figure).collect();
        let Some(figures) = figures.filter(|figures| !figures.is_empty()) else {
            return self.valueless(field);
        };
        let bound = match (grouped.unreadable, self.coverage.is_full()) {
            (0, true) => Bound::Exact,
            (0, false) => partial(groups),
            _ => Bound::Unknown,
        };
        let so_far = match bound {
            Bound::Unknown if !self.coverage.is_full() => " so far",
            _ => "",
        };
        let at_least = if bound == Bound::AtLeast { "at least " } else { "" };
        let summed: usize = groups.iter().map(Group::len).sum();
        let left_out = match self.found.len() - summed {
            0 => String::new(),
            more => format!(" ({more} more without a readable {field})"),
        };
        let text = format!(
            "The {name} {field}{so_far} is {at_least}{} over {}{left_out}{}",
            figures.join(" and "),
            counted(summed, "record"),
            self.ending_where(),
        );
        // What is left out has no part in it, so it is no more the whole than where the values are of several kinds.
        let computed = figures.into_iter().next().filter(|_| groups.len() == 1 && left_out.is_empty());
        Reduced { computed, ..self.result(text, bound, &self.all()) }
    }

    fn extreme(&self, direction: Ordering) -> Reduced {
        let field = self.field();
        if self.found.is_empty() {
            return self.nothing(Bound::Unknown);
        }
        let (name, partial, at) = match direction {
            Ordering::Less => ("smallest", Bound::AtMost, "at most "),
            _ => ("largest", Bound::AtLeast, "at least "),
        };
        let values = self.valued();
        let grouped = grouped(values.iter().map(|(_, value)| *value));
        if grouped.groups.is_empty() {
            return self.valueless(field);
        }
        let at = if self.coverage.is_full() { "" } else { at };
        let mut cited = Vec::new();
        let mut phrases = Vec::new();
        let mut figures = Vec::new();
        for group in &grouped.groups {
            let best = group.extremes(direction);
            let Some(&first) = best.first() else { continue };
            let (found, value) = values[first];
            let tied = match best.len() {
                1 => String::new(),
                several => format!("; {several} records tie"),
            };
            phrases.push(format!("{at}{value} ({}{tied})", self.named_place(found)));
            cited.extend(best.iter().map(|&at| values[at].0));
            figures.push(value.to_owned());
        }
        let bound = if grouped.unreadable > 0 { Bound::Unknown } else { self.bound_when_partial(partial) };
        let text = format!("The {name} {field} is {}{}", phrases.join(" and "), self.ending_where());
        let value = match cited.as_slice() {
            [one] if self.query.report.is_some() => one.record.reported.clone(),
            [one] => one.record.value.clone(),
            _ => None,
        };
        // Of records that tie, none is the one, and the figure is the same.
        let computed = figures.pop().filter(|_| figures.is_empty());
        Reduced { value, computed, ..self.result(text, bound, &cited) }
    }

    fn outermost(&self, name: &str) -> Reduced {
        let outermost = if name == "first" { self.found.first() } else { self.found.last() };
        let Some(found) = outermost else { return self.nothing(Bound::Unknown) };
        let seen = if self.coverage.is_full() { "" } else { " seen" };
        let place = self.place(found);
        let text = match (&self.query.measure, &found.record.value) {
            (None, _) => format!(
                "{} is the {name} match{seen}{}: {}{}",
                capitalised(&place),
                in_brackets(self.query),
                found.record.quote,
                self.ending(),
            ),
            (Some(field), Some(value)) => {
                let place = self.named_place(found);
                format!("The {name} {field}{seen} is {value} ({place}){}", self.ending_where())
            }
            (Some(field), None) => {
                format!("The {name} match{seen} ({place}) has no {field}{}", self.ending_where())
            }
        };
        let value = found.record.value.clone();
        Reduced { value, ..self.result(text, self.bound_when_partial(Bound::Unknown), &[found]) }
    }

    /// The value that most records have, how many have it, and who comes next.
    fn most(&self) -> Reduced {
        let field = self.field();
        if self.found.is_empty() {
            return self.nothing(Bound::Unknown);
        }
        let mut groups: Vec<(&str, Vec<&Found<'_>>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (found, value) in self.valued() {
            let place = *places.entry(Scalar::parse(value).canonical()).or_insert_with(|| {
                groups.push((value, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(found);
        }
        // Stable: of values that are as common as each other the one that was seen first stays first.
        groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        let Some((_, members)) = groups.first() else { return self.valueless(field) };
        let most = members.len();
        let tied: Vec<&(&str, Vec<&Found<'_>>)> =
            groups.iter().take_while(|(_, members)| members.len() == most).collect();
        let names: Vec<String> = tied.iter().map(|(value, _)| (*value).to_owned()).collect();
        let each = if names.len() > 1 { " each" } else { "" };
        let next = match groups.get(tied.len()) {
            Some((value, members)) => format!("; next is {value} with {}", members.len()),
            None => String::new(),
        };
        let so_far = if self.coverage.is_full() { "" } else { " so far" };
        let text = format!(
            "{}{so_far}: {} of {}{each}{next}{}",
            enumeration(&names),
            most,
            counted(self.found.len(), "record"),
            self.ending_where(),
        );
        let cited: Vec<&Found<'_>> = tied.iter().flat_map(|(_, members)| members.iter().copied()).collect();
        let value = names.first().filter(|_| names.len() == 1).cloned();
        Reduced { value, ..self.result(text, self.bound_when_partial(Bound::Unknown), &cited) }
    }

    /// The answer where no record was found.
    fn nothing(&self, partial: Bound) -> Reduced {
        let conditions = in_brackets(self.query);
        let text = match (self.query.reduction, self.coverage.is_full()) {
            (_, false) => format!("None seen so far{conditions}{}", self.ending()),
            (Reduction::Count, true) => format!("0 records match{conditions}."),
            (Reduction::Exists, true) => format!("No: no record matches{conditions}."),
            (_, true) => format!("None: no record matches{conditions}."),
        };
        self.result(text, self.bound_when_partial(partial), &[])
    }

    /// The answer where records were found and none has a usable value.
    fn valueless(&self, field: &str) -> Reduced {
        let text = format!(
            "None: {}{}, but without a usable {field}{}",
            matching(self.found.len()),
            in_brackets(self.query),
            self.ending()
        );
        self.result(text, Bound::Unknown, &self.all())
    }

    fn result(&self, text: String, bound: Bound, cited: &[&Found]) -> Reduced {
        let uncited = cited.len().saturating_sub(MOST_CITATIONS);
        let citations = cited
            .iter()
            .take(MOST_CITATIONS)
            .map(|found| Citation::new(found.fragment, found.record))
            .collect();
        Reduced { text, value: None, computed: None, bound, citations, uncited, matched: self.found.len() }
    }

    fn all(&self) -> Vec<&Found<'_>> {
        self.found.iter().collect()
    }

    fn field(&self) -> &str {
        self.query.measure.as_deref().unwrap_or("value")
    }

    fn valued(&self) -> Vec<(&Found<'_>, &str)> {
        self.found.iter().filter_map(|found| Some((found, found.record.value.as_deref()?))).collect()
    }

    /// The measured values without repetition, as they were first written.
    fn distinct_values(&self) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let values = self.found.iter().filter_map(|found| found.record.value.as_deref());
        values.filter(|value| seen.insert(Scalar::parse(value).canonical())).map(str::to_owned).collect()
    }

    fn bound_when_partial(&self, partial: Bound) -> Bound {
        if self.coverage.is_full() { Bound::Exact } else { partial }
    }

    /// `line 119` or `p. 12`, with the file's name where there are several.
    fn place(&self, found: &Found) -> String {
        let (fragment, line) = (found.fragment, found.record.line);
        if self.one_file { fragment.place(line) } else { fragment.place_with_file(line) }
    }

    /// `user3, line 119`.
    fn named_place(&self, found: &Found) -> String {
        match &found.record.reported {
            Some(reported) => format!("{reported}, {}", self.place(found)),
            None => self.place(found),
        }
    }

    fn ending(&self) -> String {
        ending(self.coverage)
    }

    fn ending_where(&self) -> String {
        format!("{}{}", where_clause(self.query), self.ending())
    }
}

fn capitalised(text: &str) -> String {
    text.strip_prefix("line ").map_or_else(|| text.to_owned(), |rest| format!("Line {rest}"))
}
