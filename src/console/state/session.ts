/**
 * The signed-in user: the API key, its rights, and the client that sends it.
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
/** How long a refused key is retried: nodes of a cluster learn of a new key within half a second. */
const ACCEPTED_MS = 3_000;
const PRESENTED_EVERY_MS = 500;

const storedKey = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);
const principal = signal<Me | undefined>(undefined);

/** The page is `<prefix>/console`, the API `<prefix>/v1`. */
export const API_URL = new URL('v1', location.href.replace(/#.*$/s, '')).href;

/** undefined until the server has answered. */
export const me = computed(() => principal.value);

export const hasKey = computed(() => storedKey.value !== undefined);

/** Viewers see no controls that change anything. */
export const mayEdit = computed(() => ['editor', 'admin'].includes(principal.value?.role ?? ''));

export const managesKeys = computed(() => principal.value?.role === 'admin');

/** The refusal that ended the last session. */
export const signedOutBy = signal<Failure | undefined>(undefined);

/** The stored key, while it is refused and retried. */
const refusedKey = signal<string | undefined>(undefined);

export const isKeyWaiting = computed(() => refusedKey.value !== undefined && refusedKey.value === storedKey.value);

const signedIn = computed(() =>
  storedKey.value === undefined ? undefined : createClient({ apiUrl: API_URL, key: storedKey.value }),
);

/** The API client. Only after sign-in. */
export function api(): Client {
  const client = signedIn.value;
  if (client === undefined) throw new Error('nobody is signed in');
  return client;
}

async function ownerOf(key: string): Promise<Me | Failure> {
  return createClient({ apiUrl: API_URL, key }).me().catch(failureOf);
}

const isFailure = (answer: Me | Failure): answer is Failure => 'status' in answer;

/** Checks a key, and keeps it for this tab. @returns The failure, if any. */
export async function signIn(key: string): Promise<Failure | undefined> {
  const answer = await ownerOf(key);
  if (isFailure(answer)) return answer;
  keepKey(key);
  principal.value = answer;
  return undefined;
}

/** Exchanges a one-time code for a key, which replaces the current one; then call `resume`. */
export async function takeKeyOfCode(code: string): Promise<Failure | undefined> {
  try {
    const { key } = await exchangeConsoleCode(API_URL, code);
    keepKey(key);
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

function keepKey(key: string): void {
  signOut();
  sessionStorage.setItem(KEY, key);
  storedKey.value = key;
}

/** The running check of the stored key: concurrent failures share one. */
let resuming: { readonly key: string; readonly outcome: Promise<Failure | undefined> } | undefined;

/**
 * Checks the stored key after a reload or a refusal.
 *
 * Forgets a key that stays refused for ACCEPTED_MS, and sets `signedOutBy`. @returns The failure, if any.
 */
export function resume(): Promise<Failure | undefined> {
  const key = storedKey.value;
  if (key === undefined) return Promise.resolve(undefined);
  if (resuming?.key !== key) {
    const outcome = present(key).finally(() => {
      if (resuming?.key !== key) return;
      resuming = undefined;
      refusedKey.value = undefined;
    });
    resuming = { key, outcome };
  }
  return resuming.outcome;
}

async function present(key: string): Promise<Failure | undefined> {
  const until = performance.now() + ACCEPTED_MS;
  for (;;) {
    const answer = await ownerOf(key);
    // The user signed out, or in with another key.
    if (storedKey.value !== key) return undefined;
    if (!isFailure(answer)) {
      principal.value = answer;
      return undefined;
    }
    if (answer.status !== 401) return answer;
    if (performance.now() >= until) {
      signOut();
      signedOutBy.value = answer;
      return answer;
    }
    refusedKey.value = key;
    await new Promise((wake) => setTimeout(wake, PRESENTED_EVERY_MS));
  }
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  storedKey.value = undefined;
  principal.value = undefined;
  signedOutBy.value = undefined;
}

/** A 401 may mean that the key expired: then the sign-in form returns, at the same address. */
export function checkKeyAfter({ status }: Failure): void {
  if (status === 401) void resume();
}
