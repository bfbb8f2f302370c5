/**
 * Helpers of tokens: signed ones, which clients verify, and sealed ones, which come back. Keys are those of the mock, or of its session:
 * signing/signing-keys.ts. What cannot be verified or opened is missing.
 */
import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { parseJson } from '../../../../languages/json-text.ts';
import { take } from '../../../../languages/work-budget.ts';
import { textOf } from '../../../../model/mocks/definition/operators.ts';
import { accessTokenHash, signToken, verifiedClaims } from '../../signing/json-web-token.ts';
import { sealText, unsealText } from '../../signing/sealed-text.ts';
import { keysOf, sealingKeyOf, type Signer, type SigningKey } from '../../signing/signing-keys.ts';
import { asNumber, asText, type Argument, type Evaluate, type Helpers, type MakeHelper } from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';
import { bareToken, claimAt } from './encoding.ts';

export const TOKEN_HELPERS: Helpers<'jwtSign' | 'jwtVerify' | 'jwks' | 'seal' | 'unseal'> = {
  jwtSign,
  jwtVerify,
  jwks: () => (run) => {
    const signer = signerOf(run);
    return signer && { keys: keysFor(run, signer).map(({ jwk }) => jwk) };
  },
  seal,
  unseal,
};

/** In units of RULE_WORK_MAX. */
const SIGN_WORK = { RS256: 150_000, ES256: 30_000, EdDSA: 30_000, HS256: 4_000 } as const;
/** Signatures with RSA of one rendering: each holds the thread for 0.6 ms. */
const RSA_SIGNATURES_MAX = 4;
const VERIFY_WORK = 40_000;
/** Most are remembered. */
const KEYS_WORK = 2_000;
const SEAL_WORK = 8_000;
/** A character is encoded, hashed, and encoded again. */
const WORK_PER_CHAR = 4;
const TOKEN_CHARS_MAX = 100_000;

/** An edit refuses templates without the setting; what is rendered without a request has no keys either. */
function signerOf(run: TemplateRun): Signer | undefined {
  const { signer } = run.view.request;
  run.view.work -= KEYS_WORK;
  if (signer === undefined) run.problem ??= 'there are no signing keys here: tokens need the setting `signing`';
  return signer;
}

function keysFor(run: TemplateRun, signer: Signer): readonly SigningKey[] {
  const keys = keysOf(signer);
  if (keys.length === 0) run.problem ??= 'the server has no signing keys';
  return keys;
}

function sealingKeyFor(run: TemplateRun): Buffer | undefined {
  const signer = signerOf(run);
  const key = signer && sealingKeyOf(signer);
  if (signer !== undefined && key === undefined) run.problem ??= 'the server has no signing keys';
  return key;
}

/** `seconds` adds the times of issue and end, `accessToken` the claim `at_hash`, where the claims have none. */
function jwtSign(...[[value], { typ, secret, seconds, accessToken }]: Parameters<MakeHelper>): Evaluate {
  return (run) => {
    const signer = secret === undefined ? signerOf(run) : run.view.request.signer;
    const [key] = secret !== undefined ? [paidText(run, secret)] : signer ? keysFor(run, signer) : [];
    const claims = claimsOf(run, value?.evaluate(run));
    if (key === undefined || claims === undefined) return undefined;
    const { break: breaks } = signer?.setting ?? {};
    const alg = typeof key === 'string' ? 'HS256' : key.alg;
    run.view.work -= SIGN_WORK[alg];
    run.checkWork();
    if (alg === 'RS256' && ++run.rsaSignatures > RSA_SIGNATURES_MAX)
      run.problem ??= `the template signs more than ${RSA_SIGNATURES_MAX} tokens by RS256`;
    if (run.problem !== undefined) return undefined;
    const nowSeconds = secondsOf(run);
    const lasts = seconds === undefined ? Number.NaN : asNumber(run, seconds.evaluate(run));
    const times = Number.isNaN(lasts) ? {} : { iat: nowSeconds, exp: nowSeconds + Math.trunc(lasts) };
    const access = accessToken === undefined ? undefined : paidText(run, accessToken);
    const hashed = access === undefined ? {} : { at_hash: accessTokenHash(access, alg) };
    const written = typ === undefined ? 'JWT' : paidText(run, typ);
    if (written === undefined || run.view.work < 0) return undefined;
    const options = { typ: written, breaks: breaks ?? undefined, nowSeconds };
    const token = signToken({ ...times, ...hashed, ...claims }, key, options);
    return run.mayMakeText(token.length) ? token : undefined;
  };
}

/** @returns undefined for what is not an object. */
function claimsOf(run: TemplateRun, value: unknown): JsonObject | undefined {
  const text = asText(run, value);
  if (!take(run.view, text.length * WORK_PER_CHAR)) return undefined;
  const claims = parseJson(text, run.view)?.value;
  return isObject(claims) ? claims : undefined;
}

function jwtVerify([token, path]: readonly Argument[]): Evaluate {
  return (run) => {
    const signer = signerOf(run);
    const text = bareToken(asText(run, token?.evaluate(run)));
    if (signer === undefined || text === '' || text.length > TOKEN_CHARS_MAX) return undefined;
    if (!take(run.view, VERIFY_WORK + text.length * WORK_PER_CHAR)) return undefined;
    return claimAt(run, verifiedClaims(text, keysFor(run, signer), secondsOf(run)), path?.evaluate(run));
  };
}

function seal(...[[value], { purpose, seconds }]: Parameters<MakeHelper>): Evaluate {
  return (run) => {
    const key = sealingKeyFor(run);
    const given = value?.evaluate(run) ?? null;
    const json = typeof given === 'object' ? textOf(given, run.view) : JSON.stringify(given);
    const lasts = asNumber(run, seconds?.evaluate(run));
    if (key === undefined || !take(run.view, SEAL_WORK + json.length * WORK_PER_CHAR)) return undefined;
    const by = paidText(run, purpose);
    if (by === undefined) return undefined;
    const text = sealText(json, key, by, run.view.now() + lasts * 1_000);
    return run.mayMakeText(text.length) ? text : undefined;
  };
}

function unseal(...[[sealed, path], { purpose }]: Parameters<MakeHelper>): Evaluate {
  return (run) => {
    const key = sealingKeyFor(run);
    const text = asText(run, sealed?.evaluate(run));
    if (key === undefined || text === '' || text.length > TOKEN_CHARS_MAX) return undefined;
    if (!take(run.view, SEAL_WORK + text.length * WORK_PER_CHAR)) return undefined;
    const by = paidText(run, purpose);
    const opened = by === undefined ? undefined : unsealText(text, key, by, run.view.now());
    return claimAt(run, opened?.value, path?.evaluate(run));
  };
}

/** Evaluates a text that is hashed. @returns undefined where there is not enough work left. */
function paidText(run: TemplateRun, argument: Argument | undefined): string | undefined {
  const text = asText(run, argument?.evaluate(run));
  return take(run.view, text.length * WORK_PER_CHAR) ? text : undefined;
}

const secondsOf = ({ view }: TemplateRun): number => Math.floor(view.now() / 1_000);
