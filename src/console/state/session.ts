/**
 * Who is signed in: the API key, what it may do, and the client that sends it.
 *
 * The key stays in this tab's `sessionStorage` and is sent as a header. A cookie would reach the mocks: cookies ignore
 * ports.
 */
import { computed, signal } from '@preact/signals';
import { createClient, type Client } from '../../client/client.ts';
import { exchangeConsoleCode } from '../../client/console-key.ts';
import type { Me } from '../../client/shapes.ts';
import { failureOf, type Failure } from './failure.ts';

const KEY = 'switchyard.key';

const storedKey = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);
const principal = signal<Me | undefined>(undefined);

/** The page is `<prefix>/console`, the API `<prefix>/v1`. */
export const API_URL = new URL('v1', location.href.replace(/#.*$/s, '')).href;

/** Whom the key belongs to; undefined until the server has said it. */
export const me = computed(() => principal.value);

export const hasKey = computed(() => storedKey.value !== undefined);

/** Viewers see no controls that change something. */
export const mayEdit = computed(() => principal.value?.role === 'editor');

const signedIn = computed(() =>
  storedKey.value === undefined ? undefined : createClient({ apiUrl: API_URL, key: storedKey.value }),
);

/** The client of the API with this tab's key. To be used after sign-in alone. */
export function api(): Client {
  const client = signedIn.value;
  if (client === undefined) throw new Error('nobody is signed in');
  return client;
}

/** Asks whose key it is, and keeps it for this tab when it is one. @returns Why it cannot be used. */
export async function signIn(key: string): Promise<Failure | undefined> {
  try {
    principal.value = await createClient({ apiUrl: API_URL, key }).me();
  } catch (error) {
    return failureOf(error);
  }
  sessionStorage.setItem(KEY, key);
  storedKey.value = key;
  return undefined;
}

/** Exchanges a one-time code for a key, which is kept in place of another: `resume` then asks whose it is. */
export async function takeKeyOfCode(code: string): Promise<Failure | undefined> {
  try {
    const { key } = await exchangeConsoleCode(API_URL, code);
    forgetKey();
    sessionStorage.setItem(KEY, key);
    storedKey.value = key;
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

/** Asks again whose key the stored one is, after a reload. A key that is no longer valid is forgotten. */
export async function resume(): Promise<Failure | undefined> {
  const key = storedKey.value;
  if (key === undefined) return undefined;
  const failure = await signIn(key);
  if (failure?.status === 401) forgetKey();
  return failure;
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY);
  storedKey.value = undefined;
  principal.value = undefined;
}

/** A refusal of 401 may mean that the key has ended meanwhile: then the form for a key is back, on the same place. */
export function checkKeyAfter({ status }: Failure): void {
  if (status === 401) void resume();
}
