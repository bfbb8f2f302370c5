/** Where Chrome, Chromium and Edge are installed. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { environmentWith } from './environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Programs in PATH. */
const PROGRAMS = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const MAC_APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS_FILES = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * @param given A file, or the name of a program in PATH; undefined looks in the usual places.
 * @throws OperatorError that names what was looked for.
 */
export function findBrowser(given: string | undefined): string {
  const env = environmentWith({});
  const isFile = given !== undefined && /[/\\]/.test(given);
  const files =
    given === undefined ? browserFiles(process.platform, env, homedir()) : isFile ? [given] : inPath([given], env);
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  if (given !== undefined) throw new OperatorError(`--browser: there is no ${given}${isFile ? '' : ' in PATH'}`);
  const isByName = process.platform !== 'darwin' && process.platform !== 'win32';
  const places = isByName ? `${PROGRAMS.join(', ')} in PATH` : files.join(', ');
  throw new OperatorError(`found no Chrome, Chromium or Edge: looked for ${places}; name one with --browser <path>`);
}

/** In the order of preference. */
export function browserFiles(platform: NodeJS.Platform, env: Environment, home: string): readonly string[] {
  if (platform === 'darwin') {
    return MAC_APPLICATIONS.flatMap((name) =>
      ['', home].map((root) => `${root}/Applications/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (platform === 'win32') {
    const roots = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LOCALAPPDATA].filter((root) => root !== undefined);
    return WINDOWS_FILES.flatMap((file) => roots.map((root) => `${root}\\${file}`));
  }
  return inPath(PROGRAMS, env);
}

function inPath(names: readonly string[], { PATH = '' }: Environment): readonly string[] {
  return names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
}
