/** Starts the process that reaches upstreams of mocks and applies rules to live requests: made at a start, and started when it is needed. */
import { readFileSync } from 'node:fs';
import { OperatorError } from '../base/operator-error.ts';
import { PortError } from '../base/port-error.ts';
import { Egress, type EgressOptions } from '../egress/supervisor/egress.ts';
import { peerKey } from '../forward/peer-tls.ts';
import type { EgressSettings } from '../egress/process/settings.ts';
import { memoryBytesMax } from '../base/own-memory.ts';
import type { Recordings } from '../http/api/mocks/recording/recordings.ts';
import { PAGE_BYTES_MAX } from '../limits.ts';
import { gatewayMemory } from './memory.ts';
import { mockUrl, type Config } from './config.ts';
import { explainPort } from './explain-port.ts';

/** @throws OperatorError when the file of certificates cannot be read. */
export function egressOf(
  { egress }: Config,
  parts: Pick<EgressOptions, 'allowsLoopback' | 'log' | 'recordingBytesMax'>,
): Egress {
  const { log } = parts;
  if (egress.insecure.length > 0)
    log.warn({ hosts: egress.insecure }, '--egress-insecure: the server does not verify certificates of upstreams');
  return new Egress({ ...egress, ...parts, ca: certificatesIn(egress.ca) });
}

/** Settings of rules for requests of the gateway, and of mocks to their upstreams. */
export function ruleSettings(
  { host, ruleCode, ruleFiles, tlsCert, limits, mockUrlTemplate }: Config,
  mockPort: number,
): EgressSettings['rules'] {
  const { tablesBytesMax, bodiesBytesMax } = gatewayMemory(memoryBytesMax());
  return {
    mocks: {
      host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host,
      port: mockPort,
      isTls: tlsCert !== undefined,
    },
    mockDomains: limits.mocks.sharedDomains,
    tablesBytesMax,
    bodiesBytesMax,
    runsCode: ruleCode,
    files: ruleFiles,
    mockUrl: mockUrl(mockUrlTemplate, '<mock_id>', mockPort),
  };
}

/** @throws PortError for a chosen port that cannot be listened on; without the default one the server does, and says so. */
export async function openGateway(
  egress: Egress,
  { gateway, gatewayTunnels, node }: Config,
  log: EgressOptions['log'],
): Promise<void> {
  if (gateway === undefined) return;
  const { host, port, isChosen } = gateway;
  const { logBytesMax } = gatewayMemory(memoryBytesMax());
  const nodesKey = node && peerKey(node.secret).toString('base64');
  try {
    await egress.openGateway({ host, port, tunnelled: gatewayTunnels, peerKey: nodesKey, logBytesMax });
  } catch (error) {
    if (isChosen || !(error instanceof PortError)) throw error;
    const { message } = await explainPort(error);
    log.warn({}, `the server starts without a gateway: ${message}`);
  }
}

function certificatesIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // As without certificates.
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new OperatorError(`--egress-ca ${file} contains no certificate`);
  return text;
}

const NOTHING_RECORDED = {
  exchanges: [],
  total: 0,
  truncated: false,
  dropped: 0,
  bytes: 0,
  nextBefore: null,
  epoch: null,
};

/** The recordings of mocks, which are in the memory of the egress process: there are none while it does not run. */
export function recordingsOf(egress: Pick<Egress, 'ask' | 'figures'>): Recordings {
  const ask: Egress['ask'] = async (name, question) => {
    const isUp = egress.figures?.isUp === true;
    const answer = await egress.ask(name, question);
    if (isUp && answer === undefined) throw new Error('the egress process has not answered');
    return answer;
  };
  return {
    read: async (mockId, which) =>
      (await ask('recording', { mockId, ...which, bytesMax: PAGE_BYTES_MAX })) ?? NOTHING_RECORDED,
    clear: async (mockId, session) => {
      await ask('clearRecording', { mockId, ...(session === undefined ? {} : { session }) });
    },
  };
}
