//! Numbers as lists write them: 4, d, IV.

/// How a list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Counting {
    #[default]
    Decimal,
    /// 01, 02, … 10.
    DecimalZero,
    LowerLetter,
    UpperLetter,
    LowerRoman,
    UpperRoman,
    /// 1st.
    Ordinal,
    /// ①.
    Circled,
    /// A bullet: no number at all.
    Bullet,
    /// A level that shows nothing.
    Nothing,
}

impl Counting {
    /// By the names that Word gives them. What is not known is decimal: its number is right, its look is not.
    pub fn of_word(name: &str) -> Self {
        match name {
            "decimalZero" => Self::DecimalZero,
            "lowerLetter" => Self::LowerLetter,
            "upperLetter" => Self::UpperLetter,
            "lowerRoman" => Self::LowerRoman,
            "upperRoman" => Self::UpperRoman,
            "ordinal" => Self::Ordinal,
            "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => Self::Circled,
            "bullet" => Self::Bullet,
            "none" => Self::Nothing,
            _ => Self::Decimal,
        }
    }

    /// By the formats of OpenDocument.
    pub fn of_open_document(format: &str) -> Self {
        match format {
            "a" => Self::LowerLetter,
            "A" => Self::UpperLetter,
            "i" => Self::LowerRoman,
            "I" => Self::UpperRoman,
            "" => Self::Nothing,
            _ => Self::Decimal,
        }
    }

    /// A number as it is written.
    pub fn write(self, number: i64) -> String {
        let written = match self {
            Self::Decimal => None,
            Self::DecimalZero => Some(format!("{number:02}")),
            Self::LowerLetter => letters(number),
            Self::UpperLetter => letters(number).map(|text| text.to_uppercase()),
            Self::LowerRoman => roman(number).map(|text| text.to_lowercase()),
            Self::UpperRoman => roman(number),
            Self::Ordinal => Some(format!("{number}{}", ordinal_suffix(number))),
            Self::Circled => circled(number).map(String::from),
            Self::Bullet | Self::Nothing => Some(String::new()),
        };
        written.unwrap_or_else(|| number.to_string())
    }
}

/// a … z, aa, bb … zz, aaa …
fn letters(number: i64) -> Option<String> {
    let index = u32::try_from(number).ok()?.checked_sub(1)?;
    let letter = char::from_u32(u32::from('a') + index % 26)?;
    let times = index as usize / 26 + 1;
    (times <= 10).then(|| letter.to_string().repeat(times))
}

fn roman(number: i64) -> Option<String> {
    const DIGITS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let (mut left, mut text) = (number, String::new());
    for (value, digit) in DIGITS {
        while left >= value {
            text.push_str(digit);
            left -= value;
        }
    }
    Some(text)
}

fn ordinal_suffix(number: i64) -> &'static str {
    match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

fn circled(number: i64) -> Option<char> {
    let index = u32::try_from(number).ok()?.checked_sub(1).filter(|index| *index < 20)?;
    char::from_u32(0x2460 + index)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a Roman number is worth, by the rule that a smaller digit before a greater one counts against it.
    fn worth(roman: &str) -> i64 {
        let digit = |character| match character {
            'I' => 1,
            'V' => 5,
            'X' => 10,
            'L' => 50,
            'C' => 100,
            'D' => 500,
            _ => 1000,
        };
        let digits: Vec<i64> = roman.chars().map(digit).collect();
        let signed = digits.iter().enumerate().map(|(index, digit)| {
            if digits.get(index + 1).is_some_and(|next| next > digit) { -digit } else { *digit }
        });
        signed.sum()
    }

    #[test]
    fn roman_numbers_are_worth_what_they_count() {
        for number in 1..4000 {
            assert_eq!(worth(&Counting::UpperRoman.write(number)), number);
        }
        assert_eq!(Counting::LowerRoman.write(1994), "mcmxciv");
    }

    #[test]
    fn letters_are_repeated_after_the_alphabet() {
        let write = |number| Counting::LowerLetter.write(number);
        assert_eq!([1, 26, 27, 28, 53].map(write), ["a", "z", "aa", "bb", "aaa"]);
        for number in 1..260 {
            let text = write(number);
            let first = text.chars().next().unwrap();
            assert_eq!(
                (i64::try_from(text.len()).unwrap() - 1) * 26 + i64::from(u32::from(first) - 96),
                number
            );
            assert!(text.chars().all(|character| character == first));
        }
    }

    #[test]
    fn numbers_without_a_look_are_decimal() {
        for counting in [Counting::LowerLetter, Counting::UpperRoman, Counting::Circled] {
            for number in [i64::MIN, -1, 0, 5000, i64::MAX] {
                assert_eq!(counting.write(number), number.to_string());
            }
        }
    }

    #[test]
    fn other_ways_to_count() {
        let ordinal = |number| Counting::Ordinal.write(number);
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 112th"
        );
        assert_eq!(Counting::DecimalZero.write(7), "07");
        assert_eq!(Counting::Circled.write(20), "⑳");
        assert_eq!(Counting::Bullet.write(3), "");
    }
}
