/** Parts of a release, as CycloneDX 1.5: the packages that npm installs with it, and those that are bundled into it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listedPackages } from './licences.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly scope: 'required' | 'optional';
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component & { readonly name: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const DEVELOPMENT = 'cdx:npm:package:development';
const BUNDLED = { name: 'cdx:npm:package:bundled', value: 'true' };
/** The builds write what they have bundled, as esbuild's metafile names it. */
const BUNDLES = ['dist/licences.txt', 'dist/console/licences.txt'];

/**
 * @param root Of a clone in which `npm run build` has run. The same lockfile and bundle give the same document: it has no number and no time
 *   of its own.
 * @throws Error when a bundled package is not in the lockfile.
 */
export function softwareBillOfMaterials(root: string): Bom {
  const bundled = new Set(BUNDLES.flatMap((file) => listedPackages(readFileSync(join(root, file), 'utf8'))));
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
  const options = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const printed = execFileSync('npm', options, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const { serialNumber: _serial, metadata, components, dependencies, ...rest } = JSON.parse(printed) as Bom;
  const { timestamp: _time, ...others } = metadata;
  const shipped = components.flatMap((component) => {
    const isBundled = bundled.delete(component['bom-ref']);
    const properties = component.properties.filter((each) => each.name !== DEVELOPMENT);
    if (isBundled) return [{ ...component, scope: 'required' as const, properties: [...properties, BUNDLED] }];
    return properties.length < component.properties.length ? [] : [component];
  });
  if (bundled.size > 0) throw new Error(`bundled, but not in the lockfile: ${[...bundled].join(', ')}`);
  const refs = new Set([metadata.component, ...shipped].map((component) => component['bom-ref']));
  return {
    ...rest,
    // npm names it after the folder.
    metadata: { ...others, component: { ...metadata.component, name } },
    components: shipped,
    dependencies: dependencies.flatMap(({ ref, dependsOn }) =>
      refs.has(ref) ? [{ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }] : [],
    ),
  };
}
