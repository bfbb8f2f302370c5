/** Sends a child process the keys of mocks that sign tokens: before the first of them, and again when there are more keys. */
import type { Child } from '../../children/child-process.ts';
import type { MockSettings } from '../../model/mocks/definition/definition.ts';
import { SIGNING_DEFAULTS, type SigningAlgorithm } from '../../model/mocks/definition/signing-schema.ts';
import type { SessionDefinition } from '../../model/mocks/sessions/session.ts';
import type { SigningMaterial } from '../matching/signing/signing-keys.ts';
import type { ApiToProcess } from '../shared/messages.ts';

/** Makes keys when they are first needed. It never rejects: without keys such mocks answer 500. */
export type SigningSource = (alg: SigningAlgorithm) => Promise<SigningMaterial | undefined>;

export class SigningKeysSender {
  readonly #source: SigningSource | undefined;
  readonly #sent = new WeakMap<Child<ApiToProcess>, SigningMaterial>();

  constructor(source: SigningSource | undefined) {
    this.#source = source;
  }

  /** To be called before a mock, or a session, is sent. @returns What to wait for; undefined where the child has all that it needs. */
  send(
    child: Child<ApiToProcess> | undefined,
    settings: Pick<MockSettings, 'signing'>,
    sessions: Iterable<Pick<SessionDefinition, 'overlay'>> = [],
  ): Promise<void> | undefined {
    const all = [settings.signing, ...[...sessions].map(({ overlay }) => overlay.settings.signing)];
    const algorithms = all.flatMap((each) => (each === undefined ? [] : [each.alg ?? SIGNING_DEFAULTS.alg]));
    const source = this.#source;
    if (algorithms.length === 0 || source === undefined || child === undefined) return undefined;
    const isRsa = algorithms.includes('RS256');
    const sent = this.#sent.get(child);
    if (sent !== undefined && (!isRsa || sent.rsa !== undefined)) return undefined;
    return source(isRsa ? 'RS256' : 'EdDSA').then((keys) => {
      if (keys === undefined || !child.isReady) return;
      this.#sent.set(child, keys);
      child.send({ kind: 'signingKeys', keys });
    });
  }
}
