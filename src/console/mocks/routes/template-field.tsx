/** Whether the texts of a response are templates. */
import type { MockResponse } from '../../../model/mocks/definition/definition.ts';
import { SelectField } from '../../parts/controls.tsx';

interface TemplateFieldProps {
  readonly response: MockResponse;
  readonly canEdit: boolean;
  readonly error?: string | undefined;
  readonly onChange: (response: MockResponse) => void;
}

export const TemplateField = ({ response, canEdit, error, onChange }: TemplateFieldProps): JSX.Element => (
  <SelectField
    label="Template"
    hiddenLabel
    value={response.templated === 'json' ? 'json' : response.templated ? 'text' : 'off'}
    options={TEMPLATE_CHOICES}
    disabled={!canEdit}
    error={error}
    onChange={(choice) => onChange({ ...response, templated: choice === 'json' ? choice : choice === 'text' })}
  />
);

const TEMPLATE_CHOICES = [
  ['off', 'Static text'],
  ['text', 'Template: fill in {{…}}'],
  ['json', 'JSON template'],
] as const;
