//! What several screens say. Each of them says it with its own words, too: its table brings these along.

words! {
    TRY_AGAIN = "Try again";
    READ_AGAIN = "Read them again";
    REFRESH = "Refresh";
    CANCEL = "Cancel";
    STOP = "Stop";
    KEEP_IT = "Keep it";
    FORGET_IT = "Forget it";
    NOT_FORGOTTEN = "The known answer was not forgotten";
    ASK = "Ask a question";
    COPY_KEY = "Copy the key";
    START_EARNING = "Start earning";
    START_SWARM = "Start the local swarm";
    NO_RELAY = "No relay yet";
    ADD_RELAY = "Add a relay";
    CHANGE_RELAYS = "Change the relays";
    UNREACHABLE = "No relay can be reached";
    READING_SETTINGS = "Reading the settings…";
    SETTINGS_UNUSABLE = "The settings cannot be used";
    OPEN_SETTINGS = "Open Settings";
    NOT_CHANGED = "The settings were not changed";
    OPEN_MODELS = "Open Models";
    UNKNOWN = "–";
}
