/** Prompts: what a person asks for, as the steps that lead there. */

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required?: boolean }[];
  readonly text: (given: Readonly<Record<string, string>>) => string;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'mock_for_tests',
    title: 'Mock this API for my tests',
    description: 'From a file such as an OpenAPI document to a running mock and a passing test.',
    arguments: [{ name: 'file', description: 'The file, or what the API does.', required: true }],
    text: ({ file = '' }) => `Mock this API for my tests with Switchyard: ${file}

1. mocks_create with the file: its answer lists the routes, and what could not be carried over. Without a file: with name and routes. The mock is stopped.
2. Adapt the responses that my tests need, in one responses_patch. mocks_try requests of my tests against the working copy.
3. mocks_apply with \`serve\`: show me the change before you call it with \`confirm\`.
4. Point the tests at the mock's url, one session for each test (sessions_create, and its header on every request).
5. Run the tests. For what fails: traffic_list with \`misses\`, then fix the route or the test.
6. traffic_verify what each test must have sent.`,
  },
  {
    name: 'explain_miss',
    title: 'Why did my request miss',
    description: 'Why requests got a 404 or another answer than expected.',
    arguments: [
      { name: 'mock', description: 'Id of the mock.', required: true },
      { name: 'session', description: 'Id of the session, if the test had one.' },
    ],
    text: ({
      mock = '',
      session,
    }) => `Find out why requests to the mock ${mock}${session === undefined ? '' : ` in session ${session}`} were not answered as expected.

1. traffic_list with \`misses\`: each has a reason and the nearest routes.
2. For each, mocks_try with its id as \`request\`: what is compared, and with what. If a wrong response answered, do the same with its id from traffic_list.
3. Say whether the request is wrong (path, method, header, body) or the mock, and quote the difference.
4. If the mock is wrong: responses_patch, or mocks_edit for a route that is missing (mocks_try says its path); mocks_try again; show me mocks_read with \`what\`: "diff". Do not save unless I ask for it.`,
  },
];

export function listedPrompts() {
  return PROMPTS.map(({ name, title, description, arguments: taken }) => ({
    name,
    title,
    description,
    arguments: [...taken],
  }));
}

/** @returns undefined for an unknown prompt. */
export function promptText(name: string, given: Readonly<Record<string, string>>): string | undefined {
  return PROMPTS.find((each) => each.name === name)?.text(given);
}
