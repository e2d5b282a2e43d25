//! What the documents call things: field names, their values, and what one record is.
//!
//! The parser may only use a name that the documents use, so that it needs a glance at them. The
//! glance is a sample: it can show that a value belongs to a field, never that one does not occur.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::sample::{fields_of, labels_of, level_word, sampled, status_words};
use crate::dialect::{Moment, Quantity, Scalar};
use crate::ingest::{Fragment, Record};

/// Different values that are remembered per field; a field with more is known by its name only.
const MOST_VALUES: usize = 512;

/// A field is taken to be in every record if it is in this share of the sample, in percent.
const EVERYWHERE_PERCENT: usize = 90;

/// What the sampled values of a field have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldHint {
    /// The name as the documents write it.
    pub name: String,
    /// Every sampled record has it and no two have the same: it names the record.
    pub names_record: bool,
    /// What its sampled values are.
    pub values: Values,
    /// Every sampled value is the same.
    pub is_constant: bool,
    /// The units that stand beside its numbers.
    pub units: BTreeSet<String>,
}

/// What all sampled values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Numbers.
    Numbers,
    /// Dates or times.
    Moments,
    /// Words, or a mixture.
    Words,
}

/// What is known of the documents' fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldHints {
    fields: Vec<FieldHint>,
    /// Normalised value → the fields it was seen in.
    owners: HashMap<String, BTreeSet<usize>>,
    /// Level words seen as words of their own, in lower case.
    levels: BTreeSet<String>,
    /// Status words seen anywhere, in lower case.
    statuses: BTreeSet<String>,
    /// What a record is called in the plural, by the file's name (`orders.log` holds orders) or by a
    /// word before a different value in every record (`order 4001`).
    nouns: BTreeSet<String>,
}

/// Takes a sample of the fragments' records and notes what it sees.
pub fn field_hints(fragments: &[Fragment]) -> FieldHints {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut hints = FieldHints::default();
    let mut labels: BTreeMap<String, Seen> = BTreeMap::new();
    let mut records = 0;
    let mut with_level = 0;
    for record in sampled(fragments) {
        records += 1;
        for (name, value) in fields_of(record) {
            let entry = seen.entry(name.clone()).or_insert_with(|| {
                order.push(name);
                Seen::default()
            });
            entry.note(&value);
        }
        for (label, value) in labels_of(record) {
            if labels.len() < MOST_VALUES || labels.contains_key(&label) {
                labels.entry(label).or_default().note(&value);
            }
        }
        hints.statuses.extend(status_words(record));
        with_level += usize::from(note_levels(record, &mut hints.levels));
    }
    if with_level * 2 < records {
        hints.levels.clear();
    }
    for name in order {
        if let Some(entry) = seen.remove(&name) {
            hints.add(name, &entry, records);
        }
    }
    hints.nouns = fragments.iter().filter_map(|fragment| noun_of(&fragment.file)).collect();
    let naming = labels.into_iter().filter(|(_, seen)| seen.names_record(records));
    hints.nouns.extend(naming.map(|(label, _)| format!("{label}s")));
    hints
}

impl FieldHints {
    /// Nothing is known, as of documents in which no field has a name.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The fields, in order of appearance.
    pub fn fields(&self) -> &[FieldHint] {
        &self.fields
    }

    /// The one field that a name in a question means: the same words, or the only field that has
    /// the word among its own (`user` for `user_id`).
    pub fn named(&self, words: &str) -> Option<&FieldHint> {
        let wanted = spelled(words);
        if let Some(exact) = self.fields.iter().find(|field| spelled(&field.name) == wanted) {
            return Some(exact);
        }
        let mut partial =
            self.fields.iter().filter(|field| spelled(&field.name).split(' ').any(|part| part == wanted));
        let only = partial.next()?;
        partial.next().is_none().then_some(only)
    }

    /// The fields that a value was seen in. Numbers are never recognised: 5 may be anything.
    pub fn owners(&self, value: &str) -> Vec<&FieldHint> {
        let Scalar::Word(word) = Scalar::parse(value) else { return Vec::new() };
        let owners = self.owners.get(&word).into_iter().flatten();
        owners.filter_map(|&at| self.fields.get(at)).collect()
    }

    /// Whether a value was seen in a field.
    pub fn has_value(&self, field: &FieldHint, value: &str) -> bool {
        let at = self.fields.iter().position(|known| known.name == field.name);
        let owners = self.owners.get(&Scalar::parse(value).canonical());
        at.zip(owners).is_some_and(|(at, owners)| owners.contains(&at))
    }

    /// Whether the field was seen with values that are longer or shorter forms of this one, and not
    /// with this one: `mara` where the documents write `mara.lindt`.
    pub fn only_resembles(&self, field: &FieldHint, value: &str) -> bool {
        let bare =
            |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let Some(at) = self.fields.iter().position(|known| known.name == field.name) else { return false };
        let value = Scalar::parse(value).canonical();
        if self.owners.get(&value).is_some_and(|owners| owners.contains(&at)) {
            return false;
        }
        let wanted = bare(&value);
        let mut seen =
            self.owners.iter().filter(|(_, owners)| owners.contains(&at)).map(|(seen, _)| bare(seen));
        seen.any(|seen| !seen.is_empty() && (seen.contains(&wanted) || wanted.contains(&seen)))
    }

    /// Level words seen in most records, in lower case; for logs that do not name the field.
    pub fn levels(&self) -> &BTreeSet<String> {
        &self.levels
    }

    /// Status words seen anywhere, in lower case; for records that do not name the field.
    pub fn statuses(&self) -> &BTreeSet<String> {
        &self.statuses
    }

    /// Whether a plural noun says what every record is: it is the name of the files, or of a field
    /// that tells the records apart.
    pub fn is_record_noun(&self, singular: &str, plural: &str) -> bool {
        self.nouns.contains(plural) || self.named(singular).is_some_and(|field| field.names_record)
    }

    fn add(&mut self, name: String, seen: &Seen, records: usize) {
        let at = self.fields.len();
        if seen.values.len() <= MOST_VALUES {
            for value in seen.values.keys() {
                self.owners.entry(value.clone()).or_default().insert(at);
            }
        }
        self.fields.push(FieldHint {
            name,
            names_record: seen.names_record(records),
            values: seen.kind(),
            is_constant: seen.values.len() == 1,
            units: seen.units.clone(),
        });
    }
}

#[derive(Default)]
struct Seen {
    count: usize,
    numbers: usize,
    moments: usize,
    units: BTreeSet<String>,
    values: BTreeMap<String, usize>,
}

impl Seen {
    fn note(&mut self, value: &str) {
        self.count += 1;
        if Moment::parse(value).is_some() {
            self.moments += 1;
        } else if let Some(quantity) = Quantity::parse(value) {
            self.numbers += 1;
            self.units.extend(quantity.unit.map(|unit| unit.text));
        }
        *self.values.entry(Scalar::parse(value).canonical()).or_default() += 1;
    }

    fn kind(&self) -> Values {
        match self.count {
            0 => Values::Words,
            count if count == self.numbers => Values::Numbers,
            count if count == self.moments => Values::Moments,
            _ => Values::Words,
        }
    }

    /// Every record has it, and no two the same.
    fn names_record(&self, records: usize) -> bool {
        let everywhere = records > 0 && self.count * 100 >= records * EVERYWHERE_PERCENT;
        everywhere && self.values.values().all(|&count| count == 1)
    }
}

/// A name's words in lower case: `userId`, `user_id` and `User ID` are spelled `user id`.
pub(super) fn spelled(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 2);
    let mut after_lower = false;
    for c in name.trim().chars() {
        if matches!(c, '_' | '-' | '.' | ' ') {
            words.push(' ');
            after_lower = false;
            continue;
        }
        if c.is_uppercase() && after_lower {
            words.push(' ');
        }
        after_lower = c.is_lowercase() || c.is_ascii_digit();
        words.extend(c.to_lowercase());
    }
    words
}

fn note_levels(record: &Record, levels: &mut BTreeSet<String>) -> bool {
    // Only the beginning: further on it is a message that may speak of errors.
    let first_words = record.text.split(|c: char| c.is_whitespace() || "[]()|:".contains(c)).take(8);
    let level = first_words.filter(|word| word.chars().all(char::is_uppercase)).find_map(level_word);
    levels.extend(level.map(str::to_owned));
    level.is_some()
}

/// `orders` for `data/orders.log`: only a plural says what the lines are.
fn noun_of(file: &str) -> Option<String> {
    let name = file.rsplit(['/', '\\']).next()?;
    let stem = name.split('.').next()?.to_lowercase();
    (stem.len() > 3 && stem.ends_with('s') && stem.chars().all(char::is_alphabetic)).then_some(stem)
}
