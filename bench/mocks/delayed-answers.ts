/** Requests on connections that were opened beforehand, all at once, and answered after a delay. */
import { mockHost } from '../mocks-client.ts';
import { endAll, startDelayedClients } from '../processes.ts';
import { startFresh } from './fresh-service.ts';
import { inTurn, type OwnFigures } from './own-figures.ts';

const ANSWERS = 10_000;
const ANSWERS_TINY = 40;
const DELAY_MS = 1_000;
const DELAY_MS_TINY = 100;
const CLIENTS = 4;
const ROUNDS = 3;
/** How much later than it was meant the last of all may arrive. */
const LATE_MS_MAX = 500;

export const delayedAnswers: OwnFigures = {
  name: 'delayed-answers',
  async measure(isTiny) {
    const count = isTiny ? ANSWERS_TINY : ANSWERS;
    const delayMs = isTiny ? DELAY_MS_TINY : DELAY_MS;
    const { service, client } = await startFresh();
    const route = { method: 'GET', path: '/', responses: [{ body: '{}', latency: delayMs }] };
    const mockId = await client.create('delayed', [route]);
    client.close();
    const { port } = service.mocks;
    const options = { port, host: mockHost(mockId, port), connections: count / CLIENTS };
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => startDelayedClients(options)));
    await Promise.all(clients.map(({ open }) => open()));
    const times = await inTurn(ROUNDS, async () => {
      const answers = await Promise.all(clients.map(({ sendAll }) => sendAll()));
      const firstSent = Math.min(...answers.map((answer) => answer.firstSent));
      return Math.max(...answers.map((answer) => answer.lastReceived)) - firstSent;
    });
    await endAll();
    return [
      {
        name: `${count.toLocaleString('en')} delayed answers, first sent to last arrived`,
        unit: 'ms',
        values: times,
        against: { what: 'the delay', value: delayMs },
        atMost: delayMs + LATE_MS_MAX,
      },
    ];
  },
};
