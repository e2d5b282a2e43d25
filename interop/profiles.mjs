// How relays behave, as data. A field that is missing is no limit. The figures of relays that exist are their defaults,
// as they were found in November 2026; the others stand for one habit each.
//
// Fields, in the order in which a relay looks at a message:
//   delaySeconds        time between two messages of a client being looked at
//   auth                nothing is taken or answered before NIP-42
//   authToRead          kinds that nobody reads before NIP-42
//   frameBytes          largest message
//   eventBytes          largest event as JSON
//   contentChars        largest content
//   tagBytes            largest value of a single-letter tag
//   refusedKinds        kinds that are not taken
//   oldestEphemeral     seconds after which ephemeral events are refused
//   perMinute, perHour, ephemeralPerMinute   events of one client that are taken
//   subscriptions       at once, of one client
//   tagFilters          tag conditions in one filter
//   limit               stored events that one filter returns
//   sendSeconds         time before each stored event that it sends
//   stops               subscriptions of one client that are closed by the relay after their stored events
//   dropsEvery          one event in so many, by lot, is taken with a friendly word and goes to nobody
//   lies                forgeries of whatever passes, sent along with it
//   emptyOk             refusals name no event
//   eoseMore            EOSE has a third element (NIP-67)
//   mutes               ephemeral events that nobody hears are refused, which means nothing

export const PROFILES = {
  plain: {},

  // Relays of the wild.
  strfry: { frameBytes: 131_072, eventBytes: 65_536, tagBytes: 1_024, oldestEphemeral: 60, subscriptions: 200, tagFilters: 3, limit: 500, authToRead: [4, 1059], mutes: true },
  nostream: { contentChars: 102_400, perHour: 720, ephemeralPerMinute: 60, subscriptions: 10 },
  'nostr-rs-relay': { eventBytes: 131_072 },
  rnostr: { frameBytes: 524_288, subscriptions: 20, limit: 300, eoseMore: true },
  'python-nostr-relay': { contentChars: 4_096, emptyOk: true },

  // One habit each.
  auth: { auth: true },
  'no-announcements': { refusedKinds: [31990, 31991] },
  'no-jobs': { refusedKinds: [5050] },
  'one-subscription': { subscriptions: 1 },
  '20-events-a-minute': { perMinute: 20 },
  '300-events-a-minute': { perMinute: 300 },
  slow: { delaySeconds: 1 },
  'limit-500': { limit: 500 },
  'one-by-one': { limit: 500, sendSeconds: 0.004 },
  'small-events': { contentChars: 4_000 },
  stops: { stops: 3 },
  'drops-half': { dropsEvery: 2 },
  lies: { lies: true },
};
