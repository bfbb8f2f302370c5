/** `switchyard init`: writes a mock as a file to begin with, and says how to serve and call it. */
import { writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { originOf } from '../app/config.ts';
import { OperatorError } from '../base/operator-error.ts';
import { mockIdOf } from '../model/mocks/mock-id.ts';
import { programName, variableOf } from './environment.ts';
import { HOST, MOCK_PORT } from './options.ts';
import { shellWord } from '../languages/shell-word.ts';

const EXTENSIONS = new Set(['.yaml', '.yml']);

const MOCK = `# A mock for \`switchyard serve --mock <this file>\`. While it is served, each edit is live once you save it.
switchyard: 2
kind: mock
routes:
  - {method: GET, path: /hello, responses: [{bodyJson: {message: Hello}}]}
  # ":id" matches any one segment of the path; a templated response can repeat it.
  - method: GET
    path: /users/:id
    responses: [{templated: json, bodyJson: {id: "{{urlParam 'id'}}", name: Ann}}]
`;

/** @returns Lines for a person. @throws OperatorError for a file that exists, or cannot be written or served. */
export function initMock(file: string): string[] {
  const extension = extname(file);
  const mockId = mockIdOf(basename(file, extension));
  if (!EXTENSIONS.has(extension)) throw new OperatorError(`${file} must end with .yaml or .yml`);
  if (mockId === undefined)
    throw new OperatorError(`the id of the mock is the name of its file: use letters in ${file}`);
  try {
    writeFileSync(file, MOCK, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      code === 'EEXIST'
        ? `${file} already exists: name another file, or delete it first`
        : `cannot write ${file}: ${message}`,
    );
  }
  const host = variableOf('--host') ?? HOST;
  const origin = originOf({ host, tlsCert: variableOf('--tls-cert') }, Number(variableOf('--mock-port') ?? MOCK_PORT));
  return [
    `Wrote ${file}, a mock with two routes: GET /hello and GET /users/:id`,
    `Serve it:  ${programName()} serve --mock ${shellWord(file)}`,
    `Call it:   curl ${origin}/__mock/${mockId}/users/7`,
  ];
}
