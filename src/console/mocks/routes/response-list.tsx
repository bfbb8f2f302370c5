/** The responses of a route in order; the editor below shows the selected one. */
import { useRef } from 'preact/hooks';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import type { ErrorAt } from '../../parts/bound.ts';
import { focusSoon, moved, MoveButtons } from '../../parts/arrange.tsx';
import { Button, useReadOnly } from '../../parts/controls.tsx';
import { navigate, hrefOf, place } from '../../state/place.ts';
import { notify } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { newId, newResponse } from './new-route.ts';
import { whenText } from './route-words.ts';

interface ResponseListProps {
  readonly mockId: string;
  readonly route: MockRoute;
  readonly index: number;
  readonly errorAt: ErrorAt;
  readonly onRevise: (revised: (route: MockRoute) => MockRoute) => void;
}

export function ResponseList(props: ResponseListProps): JSX.Element {
  const { mockId, route, index, errorAt, onRevise } = props;
  const { responses } = route;
  const canEdit = !useReadOnly();
  const list = useRef<HTMLOListElement>(null);
  const current = responses[index];
  const query = Object.fromEntries(place.value.query);
  const pathOf = (id: string): readonly string[] => ['mocks', mockId, 'routes', route.id, id];
  const show = (id: string | undefined): void => {
    if (id !== undefined) navigate(pathOf(id), query);
  };
  const revise = (change: (known: MockRoute['responses']) => MockRoute['responses']): void =>
    onRevise((known) => ({ ...known, responses: change(known.responses) }));
  const insert = (at: number, response: MockRoute['responses'][number]): void => {
    revise((known) => known.toSpliced(at, 0, response));
    show(response.id);
  };
  const move = (to: number): void => {
    if (to >= 0 && to < responses.length) revise((known) => moved(known, index, to));
  };
  const remove = (): void => {
    if (current === undefined) return;
    revise((known) => known.filter(({ id }) => id !== current.id));
    show((responses[index + 1] ?? responses[index - 1])?.id);
    focusSoon(() => list.current?.querySelector('[aria-current]'));
    notify(`Deleted response ${index + 1}.`, { label: 'Undo', run: () => insert(index, current) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as Record<string, number>)[event.key] : undefined;
    if (step === undefined || !canEdit) return;
    event.preventDefault();
    event.stopPropagation();
    move(index + step);
  };
  return (
    <section class="stack tight responses" aria-label="Responses">
      <div class="row">
        <h3>Responses</h3>
        {canEdit && (
          <>
            <Button kind="quiet" onClick={() => insert(responses.length, newResponse())}>
              Add
            </Button>
            {current !== undefined && (
              <Button kind="quiet" onClick={() => insert(index + 1, { ...current, id: newId() })}>
                Duplicate
              </Button>
            )}
            {responses.length > 1 && (
              <>
                <MoveButtons what="response" index={index} count={responses.length} onMove={move} />
                <Button kind="quiet" onClick={remove}>
                  Delete
                </Button>
              </>
            )}
          </>
        )}
      </div>
      <ol ref={list}>
        {responses.map((response, position) => (
          <li key={response.id}>
            <a
              class="one-line"
              href={hrefOf(pathOf(response.id), query)}
              aria-current={position === index ? 'true' : undefined}
              onKeyDown={onKeyDown}
            >
              <span class="muted">{position + 1}</span>
              <span class="response-status">{visibleLine(String(response.status))}</span>
              <span class="cell">
                {visibleLine([response.label, whenText(response, route.selection)].filter(Boolean).join(' · '))}
              </span>
              {errorAt(`/responses/${position}`) !== undefined && <span class="badge bad">invalid</span>}
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
