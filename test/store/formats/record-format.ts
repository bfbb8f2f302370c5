/**
 * Records a store of this version's format: `npx tsx test/store/formats/record-format.ts`, once for each STORE_FORMAT,
 * before its release.
 *
 * Creates the folder `<format>/` next to this file: a store with a record of every kind, and the API's answers about
 * it. Every later version must open it and answer the same (formats.test.ts). An existing folder is never overwritten.
 */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FORMAT } from '../../../src/store/store-format.ts';
import { consoleLink } from '../../../src/cli/console-link.ts';
import { createKey, revokeKey } from '../../../src/cli/keys.ts';
import { changeQuota } from '../../../src/cli/owner-quota.ts';
import { BEHAVIOUR_ROUTES, BEHAVIOUR_SETTINGS } from '../../support/behaviour-samples.ts';
import { readOwner } from '../../support/read-owner.ts';
import { rulePayload, SAMPLES } from '../../support/samples.ts';
import { TestServer, type Answer } from '../../support/server.ts';

const folder = join(import.meta.dirname, String(STORE_FORMAT));
if (existsSync(folder)) throw new Error(`format ${STORE_FORMAT} has been recorded`);

const server = await TestServer.start(['--no-bootstrap', '--rule-code']);
const [ann, viewer, ben, revoked] = [
  await server.key('alpha', 'ann'),
  await server.key('alpha', 'vic', 'viewer'),
  await server.key('beta', 'ben'),
  await server.key('alpha', 'rose'),
] as const;
await revokeKey(server.data, revoked.split('_')[1] as string);
const eve = { ownerId: 'alpha', userId: 'eve', role: 'editor' } as const;
const lasting = await createKey(server.data, { ...eve, expiresAt: Date.UTC(9999, 0) });
const expired = await createKey(server.data, { ...eve, expiresAt: Date.now() });
const admin = await createKey(server.data, { ...eve, role: 'admin' });
await changeQuota(server.data, 'beta', { groupsMax: 7 });
// A code that nobody uses.
await consoleLink(server.data, '', eve);

await fillRules(ann);
await fillMocks(ann);
await fillRules(ben);
const owners = { alpha: await readOwner(server, ann), beta: await readOwner(server, ben) };
await server.end();

mkdirSync(folder);
copyFileSync(join(server.data, 'switchyard.mdb'), join(folder, 'switchyard.mdb'));
const shown = { keys: { ann, viewer, ben, revoked, lasting, expired, admin }, owners };
writeFileSync(join(folder, 'shown.json'), `${JSON.stringify(shown, undefined, 2)}\n`);

async function ask(key: string, method: string, path: string, body?: unknown, retry?: string): Promise<Answer['json']> {
  const headers = retry === undefined ? {} : { 'idempotency-key': retry };
  const { status, json } = await server.request(method, `/v1${path}`, { key, body, headers });
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json.data;
}

/**
 * A rule of each sample, grouped and ungrouped; one updated, one removed, and a deleted group that left its rules
 * ungrouped.
 */
async function fillRules(key: string): Promise<void> {
  const kept = await ask(key, 'POST', '/groups', { name: 'kept' }, 'group');
  const left = await ask(key, 'POST', '/groups', { name: 'left' });
  const ids: string[] = [];
  for (const [index, { ruleType, dialect, pair }] of SAMPLES.entries()) {
    const groupId = [kept.id, left.id, ''][index % 3];
    const name = `${ruleType} of ${dialect} \u{1F600}`;
    const rule = await ask(key, 'POST', '/rules', { name, ruleType, groupId, pairs: [pair] }, `rule ${index}`);
    ids.push(rule.id);
  }
  await ask(key, 'PUT', `/rules/${ids[2]}`, rulePayload('Cancel', { description: 'changed', status: 'Inactive' }));
  await ask(key, 'DELETE', `/rules/${ids[5]}`);
  await ask(key, 'PUT', `/groups/${kept.id}`, { name: 'kept, favourite', isFavourite: true, status: 'Inactive' });
  await ask(key, 'DELETE', `/groups/${left.id}`);
}

/** A running mock with three versions and an unsaved edit, a stopped one, one with every optional member, and a deleted one. */
async function fillMocks(key: string): Promise<void> {
  const route = (path: string, body: string): object => ({ method: 'GET', path, responses: [{ body }] });
  const definition = {
    name: 'checkout',
    description: 'three versions',
    settings: { forced: true },
    routes: [route('/kept', 'kept'), route('/changed', 'first')],
    start: true,
  };
  const mock = await ask(key, 'POST', '/mocks', definition, 'mock');
  const changed = `/mocks/${mock.id}/staged`;
  await ask(key, 'POST', `${changed}/routes`, route('/added', '{{urlParam "id"}}'));
  await ask(key, 'POST', `/mocks/${mock.id}/save`);
  const [, second] = (await ask(key, 'GET', changed)).routes;
  await ask(key, 'PUT', `${changed}/routes/${second.id}`, route('/changed', 'second'));
  await ask(key, 'POST', `/mocks/${mock.id}/save`, undefined, 'save');
  await ask(key, 'DELETE', `${changed}/routes/${second.id}`);
  await ask(key, 'POST', '/mocks', { name: 'stopped', routes: [route('/', 'stopped')] });
  const behaviour = { settings: BEHAVIOUR_SETTINGS, routes: BEHAVIOUR_ROUTES };
  const { id } = await ask(key, 'POST', '/mocks', { name: 'behaviour', start: true, ...behaviour });
  await ask(key, 'PUT', `/mocks/${id}/staged`, {
    settings: { rateLimit: BEHAVIOUR_SETTINGS.rateLimit, scenarios: BEHAVIOUR_SETTINGS.scenarios },
  });
  await ask(key, 'PUT', '/gateway/settings', {
    mode: 'rewrite',
    attach: [{ host: '*.example.com:8443', mockId: id }],
    others: 'refuse',
    tunnel: ['pinned.example.com'],
    propagate: ['api.example.com'],
    record: true,
    redact: { headers: ['x-pin'], members: ['iban'] },
  });
  const removed = await ask(key, 'POST', '/mocks', { name: 'removed', routes: [route('/', 'removed')] });
  await ask(key, 'DELETE', `/mocks/${removed.id}`);
}
