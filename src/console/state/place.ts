/**
 * The address of a screen: the path and query after "#", as in `#/mocks/m1/traffic?status=404`.
 *
 * A fragment works under every prefix and appears in no server log.
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
  return { path: path.split('/').filter(Boolean).map(decoded), query: new Map(new URLSearchParams(query)) };
}

/** @param query Without members that are undefined, false or empty. */
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

/** The code of a `switchyard console` link, until used. */
export const oneTimeCode = signal<string | undefined>(undefined);

const CODE = /^#code=(.*)$/s;

/** Removes a code from the address at once, and so from history and bookmarks. */
function placeOfAddress(): Place {
  const hash = globalThis.location?.hash ?? '';
  const code = CODE.exec(hash)?.[1];
  if (code === undefined) return parsePlace(hash);
  oneTimeCode.value = decoded(code);
  history.replaceState(null, '', hrefOf(['mocks']));
  return parsePlace(location.hash);
}

const current = signal<Place>(placeOfAddress());

export const place: ReadonlySignal<Place> = current;

globalThis.addEventListener?.('hashchange', () => {
  current.value = placeOfAddress();
});

/** Navigates like a link. */
export function navigate(path: readonly (string | number)[], query: Query = {}): void {
  location.hash = hrefOf(path, query);
  // The event is late, and would close an overlay opened in the meantime.
  current.value = placeOfAddress();
}

/** Changes query members of this address, as filters do. "Back" does not undo it. */
export function refine(query: Query): void {
  const { path, query: known } = current.value;
  const href = hrefOf(path, { ...Object.fromEntries(known), ...query });
  history.replaceState(null, '', href);
  current.value = parsePlace(href);
}
