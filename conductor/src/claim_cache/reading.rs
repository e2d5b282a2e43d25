//! The claims of a part, by lines counted from its first.

use frlm_questions::dialect::MapAnswer;
use frlm_questions::dialect::claims::{as_answer, holds};
use frlm_questions::ingest::Fragment;
use frlm_verifier::claims::{Claim, LineRange, Quote, ReaderRecord};
use serde::{Deserialize, Serialize};

/// Claims of one reading at most; a reader gives a dozen.
const MOST_CLAIMS: usize = 200;

/// A claim that reviews bore out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptClaim {
    /// What was claimed.
    pub text: String,
    /// First and last line of each quote; the part's first line is 0.
    pub lines: Vec<[u32; 2]>,
    /// How likely it is true, 0..=1.
    #[serde(rename = "belief")]
    pub confidence: f64,
}

/// What a part says about a question, as far as it was verified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptReading {
    /// Its claims; none where the part says nothing about the question.
    pub claims: Vec<KeptClaim>,
    /// Who found nothing there, where nothing was found: one reader alone may not have looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<String>,
    /// What the reading and its reviews were paid.
    pub sats: u64,
}

/// Readers that must have found nothing before nobody is asked again.
pub const AGREE_ON_NOTHING: usize = 2;

impl KeptClaim {
    /// A claim about a part.
    pub fn of(claim: &Claim, fragment: &Fragment, confidence: f64) -> Self {
        let first = *fragment.span.lines.start();
        let place = |line: u32| line.saturating_sub(first);
        let lines = claim.quotes.iter().map(|quote| [place(quote.lines.first()), place(quote.lines.last())]);
        Self { text: claim.text.clone(), lines: lines.collect(), confidence }
    }

    fn claim(&self, fragment: &Fragment) -> Claim {
        let first = *fragment.span.lines.start();
        let quote = |[from, to]: &[u32; 2]| Quote {
            lines: LineRange::new(first.saturating_add(*from), first.saturating_add(*to)),
            words: String::new(),
        };
        Claim { text: self.text.clone(), quotes: self.lines.iter().map(quote).collect() }
    }
}

impl KeptReading {
    /// Whether it stands in the place of another reading.
    pub fn is_verified(&self) -> bool {
        !self.claims.is_empty() || self.readers.len() >= AGREE_ON_NOTHING
    }

    /// How far its claims are believed on average; of a part that says nothing, how far those who found nothing are.
    pub fn confidence(&self) -> f64 {
        if self.claims.is_empty() {
            let all_wrong: f64 = self.readers.iter().map(|_| ReaderRecord::default().p_false()).product();
            return 1.0 - all_wrong;
        }
        self.claims.iter().map(|claim| claim.confidence).sum::<f64>() / self.claims.len() as f64
    }

    /// Its claims with their lines as they stand in the part now. `None` where code has something against one of them: then
    /// the part is read again. The file is not trusted further than a reader would be.
    pub fn answer(&self, fragment: &Fragment) -> Option<MapAnswer> {
        let is_confidence = |claim: &KeptClaim| (0.0..=1.0).contains(&claim.confidence);
        if !self.is_verified() || self.claims.len() > MOST_CLAIMS || !self.claims.iter().all(is_confidence) {
            return None;
        }
        let claims = self.claims.iter().map(|kept| kept.claim(fragment));
        let checked = holds(fragment, claims)?;
        let claims = checked.iter().map(|claim| as_answer(claim, fragment)).collect();
        Some(MapAnswer::Claims { claims })
    }
}

#[cfg(test)]
mod tests {
    use frlm_questions::dialect::claims::{Parts, read};
    use frlm_questions::dialect::testing::fragment;

    use super::*;

    const LEASE: &str = "The rent is 900 EUR a month.\nThe deposit is 1,800 EUR.\n";

    fn kept() -> KeptReading {
        let part = fragment("lease.txt", LEASE);
        let answer = "{\"claims\": [{\"lines\": [[2, 2]], \"claim\": \"The deposit is 1,800 EUR.\"}]}";
        let claims = read(&Parts::default(), &part, answer).unwrap().claims;
        let claims = claims.iter().map(|claim| KeptClaim::of(claim, &part, 0.97)).collect();
        KeptReading { claims, readers: Vec::new(), sats: 3 }
    }

    #[test]
    fn a_claim_is_cited_where_its_lines_stand_now() {
        let mut part = fragment("lease.txt", &format!("New first line.\n\n{LEASE}"));
        // The part itself begins with the rent, as it did.
        part.span.lines = 3..=4;
        part.records = part.records[1..].to_vec().into();
        let MapAnswer::Claims { claims } = kept().answer(&part).unwrap() else { panic!("claims") };
        let [MapAnswer::Words { answer, quotes }] = claims.as_slice() else { panic!("one") };
        assert_eq!((answer.as_str(), quotes[0].line), ("The deposit is 1,800 EUR.", 4));
        assert_eq!(quotes[0].quote, "The deposit is 1,800 EUR.");
    }

    #[test]
    fn a_claim_that_the_lines_do_not_bear_out_is_not_used() {
        assert!(kept().answer(&fragment("lease.txt", &LEASE.replace("1,800", "1,900"))).is_none());
        assert!(kept().answer(&fragment("lease.txt", "One line.\n")).is_none(), "its line is not there");
        let mut damaged = kept();
        damaged.claims[0].confidence = f64::NAN;
        assert!(damaged.answer(&fragment("lease.txt", LEASE)).is_none());
        damaged.claims[0] =
            KeptClaim { lines: vec![[7, u32::MAX]], confidence: 1.0, ..kept().claims[0].clone() };
        assert!(damaged.answer(&fragment("lease.txt", LEASE)).is_none());
    }

    #[test]
    fn that_a_part_says_nothing_is_believed_of_two_readers() {
        let part = fragment("lease.txt", LEASE);
        let nothing = |readers: &[&str]| {
            let readers = readers.iter().map(|reader| (*reader).to_owned()).collect();
            KeptReading { claims: Vec::new(), readers, sats: 1 }.answer(&part)
        };
        assert!(nothing(&["a"]).is_none());
        assert_eq!(nothing(&["a", "b"]), Some(MapAnswer::Claims { claims: Vec::new() }));
    }
}
