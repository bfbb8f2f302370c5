/**
 * `serve --key-file`: the key that a file holds is valid from the start, for owner and user "local". So a container has a key that
 * nothing prints.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/operator-error.ts';
import { digestSecret, newApiKey, parseApiKey } from '../model/api-key.ts';
import type { NewKey } from '../store/issue-key.ts';
import type { ApiKeyStore } from '../store/store.ts';

/**
 * Where there is no file, writes one with a new key, for its user alone.
 *
 * @returns What to warn of: a key that was revoked stays revoked.
 * @throws OperatorError, which does not show what is in the file.
 */
export async function validateKeyFile(
  file: string,
  keys: Pick<ApiKeyStore, 'add' | 'find'>,
  holder: NewKey,
  clock: Clock,
): Promise<string | undefined> {
  const { keyId, secret } = readKeyFile(file) ?? writeKeyFile(file);
  const secretDigest = digestSecret(secret);
  const known = keys.find(keyId);
  if (known === undefined) {
    await keys.add({ ...holder, keyId, creationDate: clock(), revocationDate: null, origin: 'command', secretDigest });
    return undefined;
  }
  if (!timingSafeEqual(known.secretDigest, secretDigest)) {
    throw new OperatorError(
      `the key in ${file} has the id of another key: replace it with a new one (switchyard keys generate)`,
    );
  }
  return known.revocationDate === null ? undefined : `the key ${keyId} in ${file} was revoked and stays revoked`;
}

type ParsedKey = NonNullable<ReturnType<typeof parseApiKey>>;

/** @returns undefined when there is no file. */
function readKeyFile(file: string): ParsedKey | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new OperatorError(`the key file ${file} cannot be read: ${(error as Error).message}`);
  }
  const key = parseApiKey(text.trim());
  if (key === undefined) {
    throw new OperatorError(`${file} does not contain one API key, as printed by \`switchyard keys generate\``);
  }
  return key;
}

function writeKeyFile(file: string): ParsedKey {
  const { text } = newApiKey();
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new OperatorError(`the key file ${file} does not exist and cannot be created: ${(error as Error).message}`);
  }
  return parseApiKey(text) as ParsedKey;
}
