/** The fields of a CRUD route, and the requests it serves. docs/mocks-stores.md, "Routes of the kind crud". */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { servedPlaces } from '../../../model/mocks/stores/crud.ts';
import { bound, boundChoice, type ErrorAt } from '../../parts/bound.ts';
import { SelectField, TextField } from '../../parts/controls.tsx';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { choices } from '../../parts/words.ts';

interface CrudFieldsProps {
  readonly mockId: string;
  readonly route: MockRoute;
  readonly errorAt: ErrorAt;
  readonly onChange: (route: MockRoute) => void;
}

export function CrudFields({ mockId, route, errorAt, onChange }: CrudFieldsProps): JSX.Element {
  const field = bound(route, onChange, errorAt);
  const methods = new Map<string, string[]>();
  for (const { method, path } of servedPlaces(route)) methods.set(path, [...(methods.get(path) ?? []), method]);
  return (
    <>
      <TextField
        label="Store"
        {...field('store')}
        value={route.store ?? ''}
        monospace
        hint={
          <>
            Its initial value and id field are in the <a href={hrefOf(['mocks', mockId, 'settings'])}>mock settings</a>.
          </>
        }
      />
      <SelectField
        label="Dialect"
        {...boundChoice(route, onChange, errorAt)('dialect', 'rest')}
        options={DIALECT_CHOICES}
      />
      <dl class="facts" aria-label="Served requests">
        {[...methods].map(([path, names]) => (
          <div key={path}>
            <dt class="monospace">{visibleLine(path, 200)}</dt>
            <dd>{names.join(', ')}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const DIALECT_CHOICES = choices({ rest: 'REST', 'json-server': 'json-server 0.17', mockoon: 'Mockoon' });
