/** The request of a test; on the rule tester also the browser's headers, and the response. */
import { useRef } from 'preact/hooks';
import type { Detail } from '../../../errors.ts';
import { Button, Form, SelectField, TextField } from '../../parts/controls.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { METHODS } from '../../parts/request-text.ts';
import { API_URL } from '../../state/session.ts';
import { apiCommand } from '../../state/api-command.ts';
import { commandOf, fitsCommand, inputOf, type Question } from './question.ts';
import { choices } from '../../parts/words.ts';

interface RequestFormProps {
  readonly question: Question;
  /** Found in the form. */
  readonly problems: Partial<Record<keyof Question, string>>;
  /** Found by the server, by path in the request. */
  readonly details: readonly Detail[];
  readonly isRunning: boolean;
  /** The label of the button. */
  readonly submit: string;
  readonly hint: string;
  /** Only method, URL, headers and body. */
  readonly isShort?: boolean;
  readonly onEdit: (given: Partial<Question>) => void;
  readonly onRun: () => void;
}

/** Values of `sec-fetch-dest`, with the rules' names for them. */
const RESOURCES = choices({
  '': 'Not set',
  document: 'A page',
  iframe: 'A frame',
  empty: 'fetch or XHR',
  script: 'A script',
  style: 'A style sheet',
  image: 'An image',
  font: 'A font',
  video: 'Media',
  websocket: 'A WebSocket',
});

const MODES = choices({ redirect: 'Redirect the client', rewrite: 'Rewrite the request' });

const ANSWERS = choices({ unknown: 'Unknown', given: 'As below', failed: 'None (unreachable)' });

/** The server's paths of fields. */
const PATHS = {
  url: '/request/url',
  method: '/request/method',
  headers: '/request/headers',
  body: '/request/body',
  status: '/response/status',
  answerHeaders: '/response/headers',
  answerBody: '/response/body',
} as const;

export function RequestForm(props: RequestFormProps): JSX.Element {
  const { question, problems, details, isRunning, submit, hint, isShort = false, onEdit, onRun } = props;
  const field = (name: keyof typeof PATHS) => ({
    value: question[name],
    onInput: (value: string) => onEdit({ [name]: value }),
    error: problems[name] ?? details.find(({ path }) => path.startsWith(PATHS[name]))?.message,
    monospace: true,
  });
  const hasMore = useOnce(
    [question.headers, question.body, question.resource, question.page].some((text) => text !== ''),
  );
  const hasAnswer = useOnce(question.answer !== 'unknown' || question.mode !== 'redirect');
  return (
    <Form onSubmit={onRun}>
      <div class="request-line">
        <TextField label="Method" {...field('method')} suggestions={METHODS} />
        <TextField
          label="URL"
          {...field('url')}
          isFind={!isShort}
          takesFocus={!isShort && question.url === ''}
          placeholder="https://example.com/cart"
        />
        <Button type="submit" kind={isShort ? 'plain' : 'primary'} busy={isRunning}>
          {submit}
        </Button>
      </div>
      <details open={hasMore}>
        <summary>{isShort ? 'Headers and body' : 'Headers, body and page'}</summary>
        <div class="tester-more">
          <TextField label="Headers" {...field('headers')} rows={3} placeholder="accept: text/html" />
          <TextField label="Body" {...field('body')} rows={3} />
          {!isShort && (
            <>
              <SelectField
                label="Resource type"
                value={question.resource}
                options={RESOURCES}
                onChange={(resource) => onEdit({ resource })}
                hint="Sent by browsers as sec-fetch-dest."
              />
              <TextField
                label="Page"
                value={question.page}
                onInput={(page) => onEdit({ page })}
                monospace
                placeholder="https://shop.example.com/"
                hint="Sent by browsers as referer."
              />
            </>
          )}
        </div>
      </details>
      {!isShort && (
        <details open={hasAnswer}>
          <summary>Upstream response and redirects</summary>
          <div class="tester-more">
            <SelectField
              label="Upstream response"
              value={question.answer}
              options={ANSWERS}
              onChange={(answer) => onEdit({ answer })}
              hint="Needed to test rules that change responses."
            />
            <SelectField
              label="URL changes"
              value={question.mode}
              options={MODES}
              onChange={(mode) => onEdit({ mode })}
            />
            {question.answer === 'given' && (
              <>
                <TextField label="Status" {...field('status')} />
                <TextField label="Response headers" {...field('answerHeaders')} rows={3} />
                <TextField label="Response body" {...field('answerBody')} rows={3} />
              </>
            )}
          </div>
        </details>
      )}
      <div class="row">
        <span class="hint">{hint}</span>
        {!isShort && question.url !== '' && <Copies question={question} />}
      </div>
    </Form>
  );
}

function Copies({ question }: Pick<RequestFormProps, 'question'>): JSX.Element {
  if (!fitsCommand(question)) return <span class="hint">Too long for a command line.</span>;
  const command = commandOf(question, API_URL);
  return (
    <>
      <CopyButton text={apiCommand(`${API_URL}/rules/evaluate`, JSON.stringify(inputOf(question)))} what="as curl">
        Copy as curl
      </CopyButton>
      {command !== undefined && (
        <CopyButton text={command} what="as command">
          Copy as command
        </CopyButton>
      )}
    </>
  );
}

/** Once true, stays true: emptied fields remain visible. */
function useOnce(now: boolean): boolean {
  const once = useRef(false);
  once.current ||= now;
  return once.current;
}
