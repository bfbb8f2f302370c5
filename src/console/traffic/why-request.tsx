/** Explains a recorded request: the candidates condition by condition, or why the closest routes did not match. */
import { useState } from 'preact/hooks';
import type { MockRecord, RequestRecord, TryAnswer } from '../../client/shapes.ts';
import { Why } from '../mocks/try/why.tsx';
import { SelectField } from '../parts/controls.tsx';
import { Section } from '../parts/section.tsx';
import { Shown } from '../parts/states.tsx';
import { targetOf, type Choices } from '../parts/words.ts';
import { dropEmpty } from '../state/filters.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';

interface WhyProps {
  readonly record: MockRecord;
  readonly request: RequestRecord;
}

type Choice = 'then' | 'saved' | 'staged';

export function WhyRequest({ record, request }: WhyProps): JSX.Element {
  const isOlder = request.version !== record.version;
  const [choice, setChoice] = useState<Choice>('then');
  const against: Against = choice === 'then' ? request.version : choice;
  const explained = useResource(() => explainRequest(record, request, against), [request.id, against], {
    // The mock was edited or saved.
    whenChanged: ({ recordIds }) => (choice !== 'then' && recordIds.includes(record.id) ? 'reload' : undefined),
  });
  const choices: Choices<Choice> = [
    ['then', `v${request.version}, the version that answered`],
    ...(isOlder ? [['saved', `v${record.version}, served now`] as const] : []),
    ...(record.hasStagedChanges ? [['staged', 'the working copy'] as const] : []),
  ];
  return (
    <Section
      title="Why?"
      class="stack traffic-why"
      beside={
        choices.length > 1 && (
          <SelectField label="Version" hiddenLabel value={choice} options={choices} onChange={setChoice} />
        )
      }
    >
      {isOlder && choice === 'then' && (
        <p class="muted">
          As of v{request.version}; v{record.version} is served now.
        </p>
      )}
      <Shown of={explained} what="the explanation">
        {({ answer, notices }) => (
          <>
            {notices.map((notice) => (
              <p key={notice} class="warning">
                {notice}
              </p>
            ))}
            <Why mockId={record.id} answer={answer} />
          </>
        )}
      </Shown>
    </Section>
  );
}

/** The record of a request that the rate limit refused: serving/thread/rate-gate.ts. */
const RATE_PROBLEM = 'rate limit';

type Against = 'staged' | 'saved' | number;

interface Explanation {
  readonly answer: TryAnswer;
  /** Reasons why the explanation may be inexact. */
  readonly notices: readonly string[];
}

/** Runs a recorded request dry, against its own version or another, with its position among the requests to its route. */
async function explainRequest(record: MockRecord, request: RequestRecord, against: Against): Promise<Explanation> {
  const { method, headers, body, bodyEncoding, session } = request;
  const isThen = against === request.version;
  const requestNumber = isThen ? await numberInRoute(record.id, request) : undefined;
  const asked = {
    method,
    path: targetOf(request),
    headers,
    against,
    ...dropEmpty({ body, bodyEncoding, requestNumber }),
  };
  const answer = await (session === undefined
    ? api().mocks.try(record.id, asked)
    : (await api().mocks.openSession(record.id, session)).try(asked));
  return { answer, notices: [...noticesOf(request), ...(isThen ? differences(request, answer) : [])] };
}

/**
 * The position of a request among those to its route: for sequences, seeded draws and `{{requestNumber}}`.
 *
 * @returns undefined for misses, and when earlier requests are no longer recorded.
 */
async function numberInRoute(
  mockId: string,
  { id, routeId, time, session = '' }: RequestRecord,
): Promise<number | undefined> {
  if (routeId === null) return undefined;
  const asked = { routeId, session, fields: 'summary' } as const;
  // `total` counts all matches since the same millisecond, whatever `before` is; the page has the earlier ones.
  const since = await api().mocks.requests(mockId, { ...asked, since: time, before: Number(id) + 1, limit: 1_000 });
  const all = await api().mocks.requests(mockId, { ...asked, limit: 1 });
  const arrived = await api().mocks.requests(mockId, { ...asked, since: time, limit: 1 });
  if (all.truncated || since.total !== arrived.total) return undefined;
  return all.total - since.total + since.records.length;
}

function noticesOf({ bodyTruncated }: RequestRecord): string[] {
  return bodyTruncated ? ['Only the first 32 kB of the body are recorded: conditions on the rest may differ.'] : [];
}

function differences(request: RequestRecord, { route, chosen, explanation }: TryAnswer): string[] {
  if (request.problem === RATE_PROBLEM) return ['The rate limit refused this request. A dry run is not limited.'];
  if (request.routeId === null) {
    if (route === null || explanation['isPreflight'] === true) return [];
    return [`Answered ${request.status} without a route, although one matches: the mock was stopped or overloaded.`];
  }
  if (route?.routeId === request.routeId && chosen?.responseId === request.responseId) return [];
  return ['The dry run selects a different response: the selection is random, or depends on earlier requests.'];
}
