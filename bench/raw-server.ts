/**
 * The limit: a uWebSockets.js app that does what cannot be left out, and nothing else. Run as a process of its own.
 *
 * A GET is answered with bytes that the service once sent. A POST is read, parsed, put into LMDB as the service puts it (the
 * same entries, of the same bytes, with ids as unpredictable, made durable in one transaction), and answered the same way.
 * No guard, no key, no route, no check, no log; no owner in memory.
 *
 * A `transaction` per request is the fastest that lmdb offers for it: at 64 and 512 connections, `batch` answered 0.8 and 0.4
 * times as many requests and took 1.35 and 2.4 times the CPU for each.
 */
import { open } from 'lmdb';
import { join } from 'node:path';
import * as uWS from 'uWebSockets.js';
import type { HttpResponse } from 'uWebSockets.js';
import { newRuleId } from '../src/model/record-id.ts';
import type { Rule } from '../src/model/rule.ts';
import { encodeHistory, encodeOwner, encodeRule } from '../src/store/record-codec.ts';
import { openTables, RULE } from '../src/store/tables.ts';
import { RULE_DEFAULTS, type RulePayload } from './rules.ts';
import type { SampleReply } from './sample-reply.ts';

export interface RawServerOptions {
  readonly reply: SampleReply;
  /** Where POST writes; without it there is only GET. */
  readonly data?: string;
}

/** As long as the ids that the service gives to owners, keys and pairs of these benchmarks. */
const OWNER = 'bench-0';
const USER = 'bench';
const KEY_ID = 'k00000000000';
const PAIR_ID = 'p00000000000';

const { reply, data } = JSON.parse(process.argv[2] as string) as RawServerOptions;
const app = uWS.App();
app.get('/*', answer);
if (data !== undefined) serveWrites(data);
app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port to listen on');
  process.send?.(uWS.us_socket_local_port(socket));
});
process.on('disconnect', () => process.exit());

/** One call for all headers, as the service does: the limit must not be slowed by more. */
function answer(res: HttpResponse): void {
  res.writeHeader(reply.headerName, reply.headerValue);
  res.end(reply.body);
}

function serveWrites(directory: string): void {
  const write = openWriter(directory);
  app.post('/*', (res) => {
    let aborted = false;
    res.onAborted(() => {
      aborted = true;
    });
    let received = '';
    res.onData((chunk, isLast) => {
      received += Buffer.from(chunk).toString('latin1');
      if (!isLast) return;
      void write(JSON.parse(received) as RulePayload).then(() => {
        if (!aborted) res.cork(() => answer(res));
      });
    });
  });
}

/** The tables are those of src/store/tables.ts, the entries those of `putCommit` in src/store/encoded-commit.ts for a create. */
function openWriter(directory: string): (payload: RulePayload) => Promise<unknown> {
  const env = open({
    path: join(directory, 'raw.mdb'),
    noSubdir: true,
    maxDbs: 16,
    overlappingSync: false,
    encoding: 'binary',
  });
  const { owners, records, recordOwners, history } = openTables(env);
  let lastVersion = 0;

  return (payload) => {
    const version = ++lastVersion;
    const date = Date.now();
    const rule: Rule = {
      ...RULE_DEFAULTS,
      id: newRuleId(payload.ruleType),
      name: payload.name,
      description: payload.description,
      ruleType: payload.ruleType,
      pairs: JSON.stringify(payload.pairs.map((pair) => ({ ...pair, id: PAIR_ID }))),
      creationDate: date,
      modificationDate: date,
      createdBy: USER,
      lastModifiedBy: USER,
      createdVersion: version,
      modifiedVersion: version,
    };
    const ruleBytes = encodeRule(rule);
    const recordIds = [rule.id];
    const historyBytes = encodeHistory({
      date,
      userId: USER,
      keyId: KEY_ID,
      command: 'rule.create',
      recordIds,
      recordCount: 1,
    });
    return env.transaction(() => {
      void records.put([OWNER, RULE, version], ruleBytes);
      void recordOwners.put(rule.id, OWNER);
      void history.put([OWNER, version], historyBytes);
      void owners.put(OWNER, encodeOwner(OWNER, version, { latestDate: date, recordCount: version }), version);
    });
  };
}
