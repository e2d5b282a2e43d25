// Events of a relay, in memory.

const MOST_STORED = 50_000;
const isReplaceable = (kind) => kind === 0 || kind === 3 || (kind >= 10_000 && kind < 20_000);
const isAddressable = (kind) => kind >= 30_000 && kind < 40_000;
export const isEphemeral = (kind) => kind >= 20_000 && kind < 30_000;

export class Store {
  #kept = new Map();

  get events() {
    return [...this.#kept.values()];
  }

  // Keeps an event; false where it is known already or a newer one has its place.
  keep(event) {
    if (isEphemeral(event.kind)) return true;
    const named = isAddressable(event.kind) ? (event.tags.find(([name]) => name === 'd')?.[1] ?? '') : '';
    const key = isReplaceable(event.kind) || isAddressable(event.kind) ? `${event.kind}:${event.pubkey}:${named}` : event.id;
    const kept = this.#kept.get(key);
    if (kept && (kept.id === event.id || kept.created_at > event.created_at)) return false;
    this.#kept.delete(key);
    this.#kept.set(key, event);
    if (this.#kept.size > MOST_STORED) this.#kept.delete(this.#kept.keys().next().value);
    return true;
  }

  // The newest events that match, `most` at most.
  find(filter, most = Infinity) {
    const found = this.events.filter((event) => matches(filter, event));
    found.sort((one, other) => other.created_at - one.created_at || (one.id < other.id ? -1 : 1));
    return found.slice(0, Math.min(filter.limit ?? Infinity, most));
  }
}

export function matches(filter, event) {
  const { ids, authors, kinds, since, until } = filter;
  if (ids && !ids.includes(event.id)) return false;
  if (authors && !authors.includes(event.pubkey)) return false;
  if (kinds && !kinds.includes(event.kind)) return false;
  if (since !== undefined && event.created_at < since) return false;
  if (until !== undefined && event.created_at > until) return false;
  return Object.entries(filter).every(
    ([key, values]) => !key.startsWith('#') || event.tags.some(([name, value]) => name === key.slice(1) && values.includes(value)),
  );
}
