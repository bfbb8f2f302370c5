/** Asks the egress process one question (process/questions.ts). */
import { request } from 'node:http';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import { DATA_PLANE_QUERY_MS, DRIFT_REQUEST_MS, VERIFY_MS_MAX } from '../../limits.ts';
import { ASK_PATH, questionsPath, type EgressQuestions } from '../process/questions.ts';
import type { EgressSettings } from '../process/settings.ts';

/** Questions whose answers wait: for an upstream, or for callbacks; and how long at most. */
const WAITS_MS: Partial<Record<keyof EgressQuestions, number>> = {
  upstream: DRIFT_REQUEST_MS,
  callbacks: VERIFY_MS_MAX,
};

/** @returns Undefined when that process ends, fails or is late before it has answered. Never rejects. */
export function askEgress<Name extends keyof EgressQuestions>(
  { socketPath, token }: Pick<EgressSettings, 'socketPath' | 'token'>,
  name: Name,
  question: EgressQuestions[Name]['question'],
): Promise<EgressQuestions[Name]['answer'] | undefined> {
  return new Promise((resolve) => {
    const giveUp = (): void => resolve(undefined);
    const body = Buffer.from(JSON.stringify(question));
    const headers = { [FORWARDED_HEADER]: token, 'content-length': body.length };
    const sent = request(
      { socketPath: questionsPath(socketPath), method: 'POST', path: `${ASK_PATH}${name}`, headers },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', giveUp);
        reply.on('end', () => {
          if (reply.statusCode !== 200) return giveUp();
          return resolve(JSON.parse(Buffer.concat(chunks).toString()) as EgressQuestions[Name]['answer']);
        });
      },
    );
    sent.setTimeout(DATA_PLANE_QUERY_MS + (WAITS_MS[name] ?? 0), () => sent.destroy(new Error('late')));
    sent.on('error', giveUp);
    sent.end(body);
  });
}
