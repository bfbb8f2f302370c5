/** The fields of one response. */
import type { JSX } from 'preact';
import type { MockResponse, Selection } from '../../../model/mocks/definition/definition.ts';
import { Check, TextField } from '../../parts/controls.tsx';
import { BehaviourFields } from './behaviour-fields.tsx';
import { BodyField } from './body-field.tsx';
import { below, type ErrorAt } from './field-errors.ts';
import { HeadersField } from './headers-field.tsx';
import { LatencyField } from './latency-field.tsx';
import { NumberField } from './number-field.tsx';
import { RulesField } from './rules-field.tsx';

export interface ResponseFormProps {
  readonly response: MockResponse;
  /** From 1. */
  readonly number: number;
  readonly selection: Selection;
  /** The route has no other. */
  readonly isOnly: boolean;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
  readonly onSave: () => void;
}

export function ResponseForm(props: ResponseFormProps): JSX.Element {
  const { response, number, selection, isOnly, canEdit, errorAt, onChange, onSave } = props;
  return (
    <section class="response-form" aria-label={`Response ${number}`}>
      <div class="response-line">
        <NumberField
          label="Status"
          value={response.status}
          onInput={(status) => onChange({ ...response, status })}
          readOnly={!canEdit}
          error={errorAt('/status')}
        />
        <LatencyField
          latency={response.latency}
          canEdit={canEdit}
          error={errorAt('/latency')}
          onChange={(latency) => onChange({ ...response, latency })}
        />
        {selection === 'random' && (
          <NumberField
            label="Weight"
            value={response.weight}
            onInput={(weight) => onChange({ ...response, weight })}
            readOnly={!canEdit}
            error={errorAt('/weight')}
          />
        )}
        <TextField
          label="Label"
          value={response.label}
          onInput={(label) => onChange({ ...response, label })}
          readOnly={!canEdit}
          error={errorAt('/label')}
        />
      </div>
      {((!isOnly && (selection === 'rules' || selection === 'default')) || response.default) && (
        <Check
          label={
            selection === 'default' ? 'The default: it always answers' : 'The default: it answers when no rules hold'
          }
          checked={response.default}
          disabled={!canEdit}
          onChange={(isDefault) => onChange({ ...response, default: isDefault })}
        />
      )}
      {(selection === 'rules' || response.rules.length > 0) && (
        <RulesField
          response={response}
          isUsed={selection === 'rules'}
          canEdit={canEdit}
          errorAt={below(errorAt, '/rules')}
          onChange={onChange}
          onSave={onSave}
        />
      )}
      <HeadersField
        headers={response.headers}
        canEdit={canEdit}
        errorAt={below(errorAt, '/headers')}
        onChange={(headers) => onChange({ ...response, headers })}
        onSave={onSave}
      />
      <BodyField
        response={response}
        canEdit={canEdit}
        error={errorAt('/body') ?? errorAt('/bodyEncoding') ?? errorAt('/templated')}
        onChange={onChange}
        onSave={onSave}
      />
      <BehaviourFields response={response} canEdit={canEdit} errorAt={errorAt} onChange={onChange} />
    </section>
  );
}
