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

/** @throws Error when that process does not answer in time, or says that it cannot. */
export function askEgress<Question extends keyof EgressQuestions>(
  { socketPath, token }: Pick<EgressSettings, 'socketPath' | 'token'>,
  question: Question,
  asked: EgressQuestions[Question]['asked'],
): Promise<EgressQuestions[Question]['answer']> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(JSON.stringify(asked));
    const headers = { [FORWARDED_HEADER]: token, 'content-length': body.length };
    const sent = request(
      { socketPath: questionsPath(socketPath), method: 'POST', path: `${ASK_PATH}${question}`, headers },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (reply.statusCode === 200) resolve(JSON.parse(text) as EgressQuestions[Question]['answer']);
          else reject(new Error(`egress, ${question}: ${reply.statusCode} ${text}`));
        });
      },
    );
    sent.setTimeout(DATA_PLANE_QUERY_MS + (WAITS_MS[question] ?? 0), () =>
      sent.destroy(new Error(`egress, ${question}: no answer`)),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
