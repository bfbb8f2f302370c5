/** What is done to the client instead of a whole reply: made by faults.ts, carried out by thread/deliver.ts. */
import type { Delivery } from '../../model/mocks/definition.ts';
import type { MockAnswer } from './mock-request.ts';

export type DeliveryPlan =
  /** The connection is closed without a byte. */
  | { readonly kind: 'close' }
  /** Nothing is sent, and the connection is closed after `ms`, or by the client alone. */
  | { readonly kind: 'hang'; readonly ms: number | undefined; readonly refused: MockAnswer }
  /** The head says the length of the whole body, of which so many bytes follow; then the connection is closed. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** These bytes are sent between `HTTP/1.1 ` and a line end, both by uWebSockets.js; then the connection is closed. */
  | { readonly kind: 'raw'; readonly bytes: string | ArrayBuffer }
  /** The body is sent over time. */
  | { readonly kind: 'paced'; readonly delivery: Delivery; readonly refused: MockAnswer };
