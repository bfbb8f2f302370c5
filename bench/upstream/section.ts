/**
 * The benchmark of mocks in front of a real service: what such a request costs the serving process and the one that reaches
 * upstreams, beside nginx in front of the same service, in the same rounds.
 */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { nginx, startReverseProxy } from '../contenders/nginx.ts';
import { startRawApp } from '../contenders/raw.ts';
import { startFresh } from '../contenders/switchyard.ts';
import { processTree } from '../load/cpu-time.ts';
import { startLoad } from '../load/start-load.ts';
import { endAll, mockHost } from '../processes.ts';
import { progress, ratioText, type SectionResult, type TargetResult } from '../report.ts';
import { median, ratioOf, runRounds, type Round, type RunningContender } from '../rounds.ts';
import { sampleReply, type SampleReply } from '../sample-reply.ts';
import type { BenchOptions, Section } from '../section.ts';

export const upstream: Section = { name: 'upstream', scenarios: ['proxied'], contenders: [], run };

const CONNECTIONS = 32;
const CONNECTIONS_TINY = 4;
const WARM_UP_SECONDS = 6;
const HEADER = { name: 'x-bench', value: '1' };
const PATH = '/resources/000042/details?page=1';

/** What the service behind answers: some 100 bytes. */
const ANSWER: SampleReply = {
  status: 200,
  headerName: 'content-type',
  headerValue: 'application/json',
  body: JSON.stringify({ id: '000042', name: 'Wool jumper', price: 49.9, tags: ['new', 'warm', 'blue'], in: 'stock' }),
};

const PARTS = ['thread', 'egress', 'both'];
/** By part: how many times the processor time of nginx it may take. */
const TARGETS: Readonly<Record<string, number>> = { thread: 3, both: 6 };

async function run({ tiny, only, rounds: count, seconds, load }: BenchOptions): Promise<SectionResult> {
  const nothing = { tables: [], targets: [], versions: {}, failures: [], measured: {} };
  if (only?.includes('proxied') === false) return nothing;
  progress('upstream: proxied');
  try {
    const contenders = await start(tiny);
    const generate = await startLoad(load);
    const plan = { rounds: count, roundSeconds: seconds, warmUpSeconds: tiny ? seconds : WARM_UP_SECONDS };
    const rounds = await runRounds(contenders, plan, generate);
    return {
      ...nothing,
      tables: [{ title: 'upstream', head: HEAD, rows: tableRows(rounds) }],
      targets: judge(rounds),
      measured: { rounds },
    };
  } catch (error) {
    return { ...nothing, failures: [`upstream: ${(error as Error).message}`] };
  } finally {
    await endAll();
  }
}

async function start(tiny: boolean): Promise<RunningContender[]> {
  const connections = tiny ? CONNECTIONS_TINY : CONNECTIONS;
  const { port } = await startRawApp({ reply: ANSWER });
  const { service, client } = await startFresh();
  const { id } = await client.mocks.create({
    name: 'in front of a service',
    routes: [],
    settings: {
      proxy: {
        upstream: `http://127.0.0.1:${port}`,
        when: 'always',
        requestHeaders: [HEADER],
        responseHeaders: [HEADER],
      },
    },
    start: true,
  });
  const to = { method: 'GET', path: PATH, headers: { host: mockHost(id, service) } } as const;
  const contenders: RunningContender[] = [];
  const add = async (name: string, pid: number, at: number, parts: RunningContender['parts'] = {}): Promise<void> => {
    deepEqual((await sampleReply(at, to)).body, ANSWER.body, `${name} answers differently`);
    contenders.push({ name, pid, parts, load: () => ({ ...to, port: at, connections }) });
  };
  const missing = nginx.missing();
  if (missing === undefined) {
    const started = await startReverseProxy(port, HEADER);
    await add('nginx', started.pid, started.port);
  } else progress(`without nginx: ${missing}`);
  const [, ...children] = processTree(service.pid);
  const egress = children.find((pid) => pid !== service.mocks.pid) as number;
  await add('switchyard', service.pid, service.mocks.port, { thread: service.mocks.pid, egress });
  return contenders;
}

const HEAD = ['', 'CPU µs', '× nginx', 'requests/s', 'p50 ms', 'p99 ms'];

/** The parts of Switchyard, and both. */
function figures(round: Round): Record<string, number> {
  const { thread = 0, egress = 0 } = round.parts ?? {};
  return { thread, egress, both: thread + egress };
}

function tableRows(rounds: readonly Round[]): string[][] {
  const [nginxRounds, own] = ['nginx', 'switchyard'].map((name) =>
    rounds.filter(({ contender }) => contender === name),
  );
  const row = (name: string, of: readonly Round[], cpu: number, ratio: string): string[] => [
    name,
    cpu.toFixed(1),
    ratio,
    median(of.map(({ requestsPerSecond }) => requestsPerSecond)).toLocaleString('en', { maximumFractionDigits: 0 }),
    ...[of.flatMap(({ p50Ms = [] }) => p50Ms), of.flatMap(({ p99Ms = [] }) => p99Ms)].map((values) =>
      values.length === 0 ? '' : median(values).toFixed(2),
    ),
  ];
  const rows = PARTS.map((part) => {
    const cpu = median((own ?? []).map((round) => figures(round)[part] as number));
    return row(`switchyard, ${part}`, own ?? [], cpu, ratioText(ratioToNginx(rounds, part)));
  });
  if (nginxRounds === undefined || nginxRounds.length === 0) return rows;
  return [row('nginx', nginxRounds, median(nginxRounds.map((round) => round.cpuMicroseconds)), '1'), ...rows];
}

function ratioToNginx(rounds: readonly Round[], part: string) {
  return ratioOf(rounds, 'switchyard', 'nginx', (round) =>
    round.contender === 'nginx' ? round.cpuMicroseconds : (figures(round)[part] as number),
  );
}

function judge(rounds: readonly Round[]): TargetResult[] {
  return Object.entries(TARGETS).flatMap(([part, most]) => {
    const ratio = ratioToNginx(rounds, part);
    if (ratio === undefined) return [];
    const verdict = ratio.median <= most ? 'met' : 'missed';
    return [{ target: 'proxied vs nginx', scenario: part, wanted: `<= ${most}`, ratio, verdict }];
  });
}
