#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frlm_documents_fuzz::read_open_document("a.odt", "text", bytes));
