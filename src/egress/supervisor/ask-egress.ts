/** Asks the egress process one question (process/questions.ts). */
import { request } from 'node:http';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import { DATA_PLANE_QUERY_MS } from '../../limits.ts';
import { ASK_PATH, questionsPath, type EgressQuestions } from '../process/questions.ts';
import type { EgressSettings } from '../process/settings.ts';

/** @throws Error when that process does not answer, or says that it cannot. */
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
    sent.setTimeout(DATA_PLANE_QUERY_MS, () => sent.destroy(new Error(`egress, ${question}: no answer`)));
    sent.on('error', reject);
    sent.end(body);
  });
}
