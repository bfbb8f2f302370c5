/** Starts a mock that is stopped, and stops one that runs. */
import type { MockRecord } from '../../client/shapes.ts';
import { api } from './session.ts';
import { newIdempotencyKey } from './write.ts';

type Turned = Pick<MockRecord, 'id' | 'state'>;

export const turnMock = ({ id, state }: Turned): Promise<MockRecord> =>
  api().mocks[state === 'running' ? 'stop' : 'start'](id, { idempotencyKey: newIdempotencyKey() });

/** What the button does: "Stop". */
export const turnText = ({ state }: Pick<Turned, 'state'>): string => (state === 'running' ? 'Stop' : 'Start');

/** "Stopping", of what is tried. */
export const turningText = ({ state }: Pick<Turned, 'state'>): string =>
  state === 'running' ? 'Stopping' : 'Starting';

/** What its answer says. */
export const turnedText = ({ state }: Pick<Turned, 'state'>): string =>
  state === 'running' ? 'The mock is running.' : 'The mock is stopped: it answers 503.';
