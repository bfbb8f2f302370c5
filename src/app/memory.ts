/**
 * How much memory each part may take: on a large machine the bounds of limits.ts, with less memory a share of it.
 *
 * All processes share one budget: the API process with its sandbox threads, and the data plane with its threads.
 * start-service.ts reads the budget once and passes the parts on. The total is watched at run time
 * (http/admission/load-watch.ts).
 */
import {
  BODIES_BYTES_MAX,
  COMPILED_BYTES_MAX,
  DEFAULT_LIMITS,
  SANDBOX_HEAP_MB,
  MEMORY_SHARES,
  MOCK_REPLIES_BYTES_MAX,
  MOCK_REQUEST_BYTES_MAX,
  MOCK_REQUESTS_BYTES_MAX,
  PAGE_BYTES_MAX,
  RECORDING_BYTES_MAX,
  SESSIONS_BYTES_MAX,
  STORES_BYTES_MAX,
  TEMPLATE_OUTPUT_CHARS_MAX,
  TRAFFIC_BYTES_MAX,
  TRAFFIC_PAGE_COPIES,
  TRAFFIC_PAGES_AT_ONCE,
} from '../limits.ts';
import type { ThreadMemory } from '../serving/shared/messages.ts';

/** Heap of a thread that imports: a byte of YAML needs up to 75. */
export const IMPORT_HEAP_MB = 512;
/** From here on a long task of one owner has a thread beside it for those of others. */
const TWO_SANDBOXES_BYTES = 4_096 * 1_048_576;

/** For the mocks of one owner. Not together with MEMORY_SHARES: owners that are idle leave the memory when it is short. */
const OWNER_MOCKS_SHARE = 1 / 8;

/**
 * Answers of the API in the making or not yet read, or 1/12 of the memory; then 503. (shown: Shared capacity) Beyond it large
 * ones are refused.
 */
export const REPLIES_BYTES_MAX = 512 * 1_048_576;

interface MemoryParts {
  /** Request bodies of the API, and its replies. */
  readonly bodiesBytesMax: number;
  readonly repliesBytesMax: number;
  /** Heap of each sandbox thread, of those that import, and threads of each kind. */
  readonly sandbox: { readonly heapMb: number; readonly importHeapMb: number; readonly threads: number };
  /** Recorded traffic of the whole data plane. */
  readonly trafficBytesMax: number;
  readonly trafficPagesAtOnce: number;
  /** Recorded exchanges with upstreams, in the egress process. */
  readonly recordingBytesMax: number;
  /** Sessions of all mocks and gateways: counters and overlays. */
  readonly sessionsBytesMax: number;
  /** The mocks of one owner while it is loaded. */
  readonly ownerMockHeapBytesMax: number;
  readonly thread: ThreadMemory;
}

/** @param threads Number of threads that serve mocks; they share one part. */
export function memoryParts(bytesMax: number, threads: number): MemoryParts {
  const part = (share: number, most: number, least = 0): number =>
    Math.max(least, Math.min(most, Math.floor(bytesMax * share)));
  const { bodies, replies, sandboxHeap, importHeap, traffic, trafficPages, recording, sessions } = MEMORY_SHARES;
  const { compiled, mockRequests, mockReplies, stores } = MEMORY_SHARES;
  return {
    bodiesBytesMax: part(bodies, BODIES_BYTES_MAX),
    repliesBytesMax: part(replies, REPLIES_BYTES_MAX),
    sandbox: {
      heapMb: Math.floor(part(sandboxHeap, SANDBOX_HEAP_MB * MIB) / MIB),
      importHeapMb: Math.floor(part(importHeap, IMPORT_HEAP_MB * MIB) / MIB),
      threads: bytesMax < TWO_SANDBOXES_BYTES ? 1 : 2,
    },
    trafficBytesMax: part(traffic, TRAFFIC_BYTES_MAX),
    trafficPagesAtOnce: part(trafficPages / (PAGE_BYTES_MAX * TRAFFIC_PAGE_COPIES), TRAFFIC_PAGES_AT_ONCE, 1),
    recordingBytesMax: part(recording, RECORDING_BYTES_MAX),
    sessionsBytesMax: part(sessions, SESSIONS_BYTES_MAX),
    ownerMockHeapBytesMax: part(OWNER_MOCKS_SHARE, DEFAULT_LIMITS.mocks.ownerMockHeapBytesMax),
    thread: {
      compiledBytesMax: part(compiled / threads, COMPILED_BYTES_MAX),
      // The largest request fits, and the largest reply.
      requestsBytesMax: part(mockRequests / threads, MOCK_REQUESTS_BYTES_MAX, MOCK_REQUEST_BYTES_MAX),
      repliesBytesMax: part(mockReplies / threads, MOCK_REPLIES_BYTES_MAX, TEMPLATE_OUTPUT_CHARS_MAX),
      storesBytesMax: part(stores / threads, STORES_BYTES_MAX),
    },
  };
}

/** Memory that the gateway may take: for compiled rules of owners, bodies that rules read, and what is kept of exchanges. */
export function gatewayMemory(bytesMax: number): {
  readonly tablesBytesMax: number;
  readonly bodiesBytesMax: number;
  readonly logBytesMax: number;
} {
  const part = (divisor: number, most: number): number => Math.min(most, Math.floor(bytesMax / divisor));
  return { tablesBytesMax: part(8, 256 * MIB), bodiesBytesMax: part(16, 128 * MIB), logBytesMax: part(32, 32 * MIB) };
}

const MIB = 1_048_576;
