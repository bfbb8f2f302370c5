/** The licences of the packages in the bundle, which their authors want to go with it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = /^(?:licen[cs]e|copying|notice)\b/i;
/** Some packages have it in their README alone. */
const IN_README = /^#+ licen[cs]e\n([^]*?)(?=^#|$(?![^]))/im;

/** @param files Named from the root. @returns The packages that they are of, by name. */
export function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

/**
 * @param root Of the packages' folder.
 * @returns For each package its name, version and licence on a line, and then the text.
 * @throws Error when a package has no text.
 */
export async function licencesOf(names: readonly string[], root: string): Promise<string> {
  const texts = await Promise.all(names.map((name) => licenceOf(name, join(root, 'node_modules', name))));
  return texts.join('\n\n');
}

/** @param text As `licencesOf` made it. @returns The packages, each as "name@version". */
export function listedPackages(text: string): string[] {
  return [...text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(.+\)$/gm)].map(([, name, version]) => `${name}@${version}`);
}

async function licenceOf(name: string, directory: string): Promise<string> {
  const { version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const files = (await readdir(directory)).filter((file) => FILE.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  if (texts.length === 0) {
    const readme = await readFile(join(directory, 'README.md'), 'utf8');
    texts.push(IN_README.exec(readme)?.[1] ?? '');
  }
  const text = texts.map((each) => each.trim()).join('\n\n');
  if (text === '') throw new Error(`the package ${name} has no text of its licence`);
  return `${name} ${version} (${license})\n\n${text}\n`;
}
