/**
 * Sends requests of this process or thread to other nodes: requests that they answer, and questions.
 *
 * Each node is reached over two pools. That of requests is shared among owners (connection-shares.ts); questions have
 * their own, so a publish never waits behind requests or streams.
 */
import type { Pool } from 'undici';
import type { AllCounts } from '../model/mocks/traffic.ts';
import {
  DATA_PLANE_QUERY_MS,
  FORWARDED_CALL_MS,
  FORWARDED_SILENCE_MS,
  FORWARDS_GIVEN_UP_MS,
  PEER_CONNECT_MS,
  PEER_CONNECTIONS_MAX,
  PEER_IDLE_MS,
  PEER_QUESTIONS_MAX,
  PUBLISH_MS,
} from '../limits.ts';
import { ConnectionShares } from './connection-shares.ts';
import { pack, type RequestHeadSent } from './envelope.ts';
import { Forwarding, type AnswerSink, type Link } from './forwarding.ts';
import { peerClientOptions } from './peer-tls.ts';
import { makePool } from './pool.ts';

/** Which server of the other node answers. */
export type PeerTarget = 'api' | 'mock';

/** It cannot be reached, or does not answer in time. What it has done is not known. */
export class PeerError extends Error {}

/** Answers of a node to another: peer-server.ts of the one that is asked. */
export interface PeerAnswers {
  /** Whether its data plane serves what is committed; undefined when the mock has no home there. */
  readonly publish: { readonly isPublished?: boolean | undefined };
  /** The same, without another publish of what it serves already. */
  readonly published: PeerAnswers['publish'];
  readonly counts: AllCounts & { readonly epoch: string };
  readonly gateway: { readonly epoch: string | null; readonly restarts: number };
}

const QUESTIONS_MS: Readonly<Record<keyof PeerAnswers, number>> = {
  publish: PUBLISH_MS + 1_000,
  published: PUBLISH_MS + 1_000,
  counts: DATA_PLANE_QUERY_MS,
  gateway: DATA_PLANE_QUERY_MS,
};

/** A mock may be late, and its body slow: only the end of its node ends the wait. */
const LIMITS: Readonly<Record<PeerTarget, { readonly headMs: number; readonly silenceMs: number }>> = {
  api: { headMs: FORWARDED_CALL_MS, silenceMs: FORWARDED_SILENCE_MS },
  mock: { headMs: 0, silenceMs: 0 },
};

interface Peer extends Link {
  readonly questions: Pool;
}

export class Peers {
  readonly #key: Buffer;
  /** By address: `host:port`. */
  readonly #peers = new Map<string, Peer>();

  /** @param key From `peerKey`. */
  constructor(key: Uint8Array) {
    this.#key = Buffer.from(key);
  }

  /**
   * Sends a request to the node at `address`, once.
   *
   * @param ownerId Whose share of the connections it takes.
   * @returns Ends it: the sink is not called any more.
   */
  forward(
    { address, ownerId }: { readonly address: string; readonly ownerId: string },
    target: PeerTarget,
    head: RequestHeadSent,
    body: Buffer | undefined,
    sink: AnswerSink,
  ): () => void {
    const packed = pack(head);
    const forwarding = new Forwarding(this.#peer(address), ownerId, sink);
    forwarding.begin({
      method: 'POST',
      path: `/${target}/${head.method === 'HEAD' ? 'head' : 'any'}`,
      body: body === undefined ? packed : Buffer.concat([packed, body]),
      ...LIMITS[target],
    });
    return () => forwarding.cancel();
  }

  /** @param address `host:port`. @throws PeerError */
  async ask<Question extends keyof PeerAnswers>(
    address: string,
    question: Question,
    mockIds: readonly string[],
    withinMs: number = QUESTIONS_MS[question],
  ): Promise<PeerAnswers[Question]> {
    try {
      const { statusCode, body } = await this.#peer(address).questions.request({
        path: `/rpc/${question}`,
        method: 'POST',
        body: JSON.stringify(mockIds),
        signal: AbortSignal.timeout(withinMs),
      });
      const answer = await body.text();
      if (statusCode !== 200) throw new Error(`it answered ${statusCode}`);
      return JSON.parse(answer) as PeerAnswers[Question];
    } catch (error) {
      throw new PeerError(`${address}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Gives up what waits for nodes that are not alive any more, soon: one that stops still answers what it has. */
  keep(addresses: readonly string[]): void {
    for (const [address, peer] of this.#peers) {
      if (addresses.includes(address)) continue;
      this.#peers.delete(address);
      setTimeout(() => {
        for (const each of peer.running) each.lose();
        void peer.requests.destroy();
        void peer.questions.destroy();
      }, FORWARDS_GIVEN_UP_MS).unref();
    }
  }

  async close(): Promise<void> {
    const pools = [...this.#peers.values()].flatMap(({ requests, questions }) => [requests, questions]);
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #peer(address: string): Peer {
    let peer = this.#peers.get(address);
    if (peer === undefined) {
      peer = {
        requests: peerPool(address, this.#key, PEER_CONNECTIONS_MAX),
        questions: peerPool(address, this.#key, PEER_QUESTIONS_MAX),
        shares: new ConnectionShares(PEER_CONNECTIONS_MAX),
        running: new Set(),
      };
      this.#peers.set(address, peer);
    }
    return peer;
  }
}

/**
 * Connections to one node, kept for a while. An idle one is closed here before the other side closes it.
 *
 * @param address `host:port`; an IPv6 host in brackets.
 */
function peerPool(address: string, key: Buffer, connectionsMax: number): Pool {
  return makePool(`https://${address}`, {
    connections: connectionsMax,
    pipelining: 1,
    keepAliveTimeout: PEER_IDLE_MS,
    keepAliveMaxTimeout: PEER_IDLE_MS,
    connect: {
      ...peerClientOptions(key),
      maxCachedSessions: 0,
      timeout: PEER_CONNECT_MS,
    },
  });
}
