/** Sends one request of the API process to an upstream, and collects its answer within a time and a size. */
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import { upstreamUrl } from '../../forward/upstream-call.ts';
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import { decodedBody } from '../../base/content-coding.ts';
import { headerValue } from '../forward/lines.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import type { UpstreamAnswer, UpstreamQuestion } from './questions.ts';

/** Never rejects. */
export function askUpstream(
  upstreams: Pick<Upstreams, 'forward'>,
  { call, body, bodyBytesMax }: UpstreamQuestion,
): Promise<UpstreamAnswer> {
  return new Promise((resolve) => {
    let head: ReplyHeadSent | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const { host } = upstreamUrl(call.upstream);
    // A refusal comes before there is one.
    let flow: ReturnType<Upstreams['forward']> | undefined;
    // That of the call ends with the head of the answer: a body may never end.
    const timer = setTimeout(() => {
      flow?.cancel();
      end({ failure: 'timeout', reason: `${host} did not finish its response within ${call.timeoutMs} ms` });
    }, call.timeoutMs);
    const end = (answer: UpstreamAnswer): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    const succeed = async (isPartial: boolean): Promise<void> => {
      const { status, headers } = head as ReplyHeadSent;
      // Some upstreams apply a coding that was not asked for.
      const coding = headerValue(headers, 'content-encoding');
      const bounds = { bytesMax: RECORDED_BODY_BYTES_MAX };
      const received = isPartial ? 'tooLarge' : await decodedBody(Buffer.concat(chunks), coding, bounds);
      if (typeof received === 'string') return end({ status, headers, body: '', bodyOmitted: received });
      return end({ status, headers, body: received.toString('base64') });
    };
    flow = upstreams.forward(call, Buffer.from(body, 'base64'), {
      onHead: (received) => {
        head = received;
      },
      onData(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= bodyBytesMax) return;
        flow?.cancel();
        void succeed(true);
      },
      onEnd: () => void succeed(false),
      onCut: () => end({ failure: 'lost', reason: `${host}: the response was cut off` }),
      onFailure: (failure, reason) => end({ failure, reason }),
    });
  });
}
