/** Asks another node. */
import { request, type Agent } from 'node:https';
import type { AllCounts } from '../model/mocks/traffic.ts';
import { DATA_PLANE_QUERY_MS, PUBLISH_MS } from '../limits.ts';
import { peerAddress } from '../wire/peer-tls.ts';

/** It cannot be reached, or does not answer in time. What it has done is not known. */
export class PeerError extends Error {}

/** What a node answers to another: peer-server.ts of the one that is asked. */
export interface PeerAnswers {
  /** Whether its data plane serves what is committed; undefined when the mock has no home there. */
  readonly publish: { readonly isPublished?: boolean | undefined };
  readonly counts: AllCounts & { readonly epoch: string };
}

const ANSWER_BYTES_MAX = 10_000_000;
const TIMES_MS: Readonly<Record<keyof PeerAnswers, number>> = {
  publish: PUBLISH_MS + 1_000,
  counts: DATA_PLANE_QUERY_MS,
};

export class PeerClient {
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** @param address `host:port`. @throws PeerError */
  ask<Question extends keyof PeerAnswers>(
    address: string,
    question: Question,
    mockIds: readonly string[],
    silenceMs: number = TIMES_MS[question],
  ): Promise<PeerAnswers[Question]> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(new PeerError(`${address}: ${error.message}`, { cause: error }));
      const asked = request(
        { ...peerAddress(address), path: `/rpc/${question}`, method: 'POST', agent: this.#agent },
        (answer) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            chunks.push(chunk);
            if (bytes > ANSWER_BYTES_MAX) answer.destroy(new Error('its answer is too long'));
          });
          answer.on('error', fail);
          answer.on('end', () => {
            if (answer.statusCode !== 200) return fail(new Error(`it answered ${answer.statusCode}`));
            return resolve(JSON.parse(Buffer.concat(chunks).toString()) as PeerAnswers[Question]);
          });
        },
      );
      const timer = setTimeout(() => asked.destroy(new Error(`no answer within ${silenceMs} ms`)), silenceMs);
      asked.on('close', () => clearTimeout(timer));
      asked.on('error', fail);
      asked.end(JSON.stringify(mockIds));
    });
  }
}
