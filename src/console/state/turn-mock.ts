/** Starts a stopped mock, and stops a running one. */
import type { MockRecord } from '../../client/shapes.ts';
import { api } from './session.ts';
import { newIdempotencyKey } from './write.ts';

type Turned = Pick<MockRecord, 'id' | 'state'>;

export const turnMock = ({ id, state }: Turned): Promise<MockRecord> =>
  api().mocks[state === 'running' ? 'stop' : 'start'](id, { idempotencyKey: newIdempotencyKey() });

/** "Stop" */
export const turnText = ({ state }: Pick<Turned, 'state'>): string => (state === 'running' ? 'Stop' : 'Start');

/** "Stopping" */
export const turningText = ({ state }: Pick<Turned, 'state'>): string =>
  state === 'running' ? 'Stopping' : 'Starting';

export const turnedText = ({ state }: Pick<Turned, 'state'>): string =>
  state === 'running' ? 'The mock is running.' : 'The mock is stopped: it answers 503.';
