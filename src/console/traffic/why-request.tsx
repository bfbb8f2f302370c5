/** Why a recorded request was answered as it was: the candidates rule by rule, or what kept the nearest routes from matching. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MockRecord, RequestRecord } from '../../client/shapes.ts';
import { Why } from '../mocks/try/why.tsx';
import { SelectField } from '../parts/controls.tsx';
import { Shown } from '../parts/states.tsx';
import { useResource } from '../state/resource.ts';
import { explainRequest, type Against } from './explain-request.ts';

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
    // Somebody has edited, or saved.
    whenChanged: ({ recordIds }) => (choice !== 'then' && recordIds.includes(record.id) ? 'reload' : undefined),
  });
  const choices: readonly (readonly [Choice, string])[] = [
    ['then', `v${request.version}, which answered`],
    ...(isOlder ? [['saved', `v${record.version}, which is served now`] as const] : []),
    ...(record.hasStagedChanges ? [['staged', 'the working copy'] as const] : []),
  ];
  return (
    <section class="stack traffic-why" aria-labelledby="request-why">
      <div class="row">
        <h3 id="request-why">Why?</h3>
        {choices.length > 1 && (
          <SelectField label="According to" hiddenLabel value={choice} options={choices} onChange={setChoice} />
        )}
      </div>
      {isOlder && choice === 'then' && (
        <p class="muted">
          As of v{request.version}; meanwhile v{record.version} is served.
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
    </section>
  );
}
