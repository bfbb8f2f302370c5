/** Probable mistakes in the working copy, each with the way to its route. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DefinitionWarning } from '../../../model/mocks/warnings.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import type { RoutesById } from './load-diff.ts';

interface WarningListProps {
  readonly mockId: string;
  readonly warnings: readonly DefinitionWarning[];
  readonly routes: RoutesById;
}

const SHOWN_AT_ONCE = 10;
const WARNING_CHARS_SHOWN = 1_000;

export function WarningList({ mockId, warnings, routes }: WarningListProps): JSX.Element | null {
  const [isWhole, setWhole] = useState(false);
  if (warnings.length === 0) return null;
  const shown = isWhole ? warnings : warnings.slice(0, SHOWN_AT_ONCE);
  return (
    <section class="panel diff-section diff-warnings">
      <h3>
        <span aria-hidden="true">⚠</span> {warnings.length === 1 ? 'A probable mistake' : 'Probable mistakes'}
      </h3>
      <ul class="stack tight">
        {shown.map((each) => (
          <li key={`${each.routeId ?? ''} ${each.responseId} ${each.warning}`}>
            <Warning mockId={mockId} of={each} routes={routes} />
          </li>
        ))}
      </ul>
      {shown.length < warnings.length && (
        <p>
          <Button onClick={() => setWhole(true)}>Show {warnings.length - shown.length} more</Button>
        </p>
      )}
    </section>
  );
}

interface WarningProps {
  readonly mockId: string;
  readonly of: DefinitionWarning;
  readonly routes: RoutesById;
}

function Warning({ mockId, of: { routeId, responseId, warning }, routes }: WarningProps): JSX.Element {
  if (routeId === undefined) {
    return (
      <span>
        The settings <SafeLine text={warning} max={WARNING_CHARS_SHOWN} />
      </span>
    );
  }
  const route = routes.get(routeId);
  const index = route?.responses.findIndex(({ id }) => id === responseId) ?? -1;
  return (
    <>
      <span>
        <code>
          {route === undefined ? routeId : route.method} {route !== undefined && <SafeLine text={route.path} />}
        </code>
        {responseId !== undefined && `, response ${index === -1 ? responseId : index + 1}`}{' '}
        <SafeLine text={warning} max={WARNING_CHARS_SHOWN} />
      </span>{' '}
      <a href={hrefOf(['mocks', mockId, 'routes', routeId, ...(responseId === undefined ? [] : [responseId])])}>
        Go to the route
      </a>
    </>
  );
}
