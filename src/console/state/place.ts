/**
 * The address of a screen: what stands after "#" is a path and a query, as in `#/mocks/m1/traffic?status=404`.
 *
 * A fragment works behind every prefix and reaches no server's log.
 */
import { signal, type ReadonlySignal } from '@preact/signals';

export interface Place {
  /** Decoded segments: `['mocks', 'm1', 'traffic']`. */
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: new Map(new URLSearchParams(query)),
  };
}

/** @param query Members that are undefined, false or empty are left out. */
export function hrefOf(path: readonly (string | number)[], query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.size === 0 ? '' : `?${parameters}`;
  return `#/${path.map((segment) => encodeURIComponent(segment)).join('/')}${text}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The code of a link that `switchyard console` has printed: it signs in once. undefined once used, or without such a link. */
export const oneTimeCode = signal<string | undefined>(undefined);

const CODE = /^#code=(.*)$/s;

/** A code is taken out of the address at once, so that it stays in no history and no bookmark. */
function placeOfAddress(): Place {
  const hash = globalThis.location?.hash ?? '';
  const code = CODE.exec(hash)?.[1];
  if (code === undefined) return parsePlace(hash);
  oneTimeCode.value = decoded(code);
  history.replaceState(null, '', hrefOf(['mocks']));
  return parsePlace(location.hash);
}

const current = signal<Place>(placeOfAddress());

/** Where the person is. */
export const place: ReadonlySignal<Place> = current;

globalThis.addEventListener?.('hashchange', () => {
  current.value = placeOfAddress();
});

/** Goes to another screen, as a link does. */
export function go(path: readonly (string | number)[], query: Query = {}): void {
  location.hash = hrefOf(path, query);
  // Its event comes later: what one opens until then would be closed by it.
  current.value = placeOfAddress();
}

/** Changes members of the query of this address, as a filter does. "Back" does not undo it. */
export function refine(query: Query): void {
  const { path, query: known } = current.value;
  const href = hrefOf(path, { ...Object.fromEntries(known), ...query });
  history.replaceState(null, '', href);
  current.value = parsePlace(href);
}
