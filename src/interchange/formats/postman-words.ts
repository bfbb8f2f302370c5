/** Variables in saved responses of Postman: those with a known value, and its dynamic ones, which are new for each request. */
import { templateProblem } from '../../languages/templates/template-checks.ts';
import { asText } from '../templates/reword.ts';
import { resolved, type Variables } from './postman-url.ts';

interface Worded {
  readonly text: string;
  readonly templated: boolean;
  /** Variables that are sent as they are written. */
  readonly unknown: readonly string[];
}

const VARIABLE = /\{\{\s*(\$?[\w.-]+)\s*\}\}/g;

/** @param variables Of the collection and the folders around. */
export function withVariables(body: string, variables: Variables): Worded {
  if (!body.includes('{{')) return { text: body, templated: false, unknown: [] };
  const unknown = new Set<string>();
  const known = (tag: string): string | undefined => resolved(tag, variables);
  const text = body.replaceAll(VARIABLE, (tag, name: string) => dynamic(name) ?? asText(known(tag) ?? tag));
  const isTemplate = [...body.matchAll(VARIABLE)].some(([, name = '']) => dynamic(name) !== undefined);
  for (const [tag, name = ''] of body.matchAll(VARIABLE)) {
    if (known(tag) === undefined && !(isTemplate && dynamic(name) !== undefined)) unknown.add(tag);
  }
  if (isTemplate && templateProblem(text, 'text') === undefined)
    return { text, templated: true, unknown: [...unknown] };
  return { text: body.replaceAll(VARIABLE, (tag) => known(tag) ?? tag), templated: false, unknown: [...unknown] };
}

function dynamic(name: string): string | undefined {
  if (!name.startsWith('$')) return undefined;
  const own = name.slice(1);
  if (Object.hasOwn(WORDS, own)) return `{{${WORDS[own]}}}`;
  return Object.hasOwn(FAKERS, own) ? `{{faker '${FAKERS[own]}'}}` : undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  guid: 'uuid',
  randomUUID: 'uuid',
  timestamp: "now format='unix'",
  isoTimestamp: 'now',
  randomInt: 'randomInt 0 1000',
};

const FAKERS: Readonly<Record<string, string>> = {
  randomBoolean: 'datatype.boolean',
  randomAlphaNumeric: 'string.alphanumeric',
  randomHexColor: 'color.rgb',
  randomColor: 'color.human',
  randomFirstName: 'person.firstName',
  randomLastName: 'person.lastName',
  randomFullName: 'person.fullName',
  randomNamePrefix: 'person.prefix',
  randomNameSuffix: 'person.suffix',
  randomJobArea: 'person.jobArea',
  randomJobDescriptor: 'person.jobDescriptor',
  randomJobTitle: 'person.jobTitle',
  randomJobType: 'person.jobType',
  randomPhoneNumber: 'phone.number',
  randomCity: 'location.city',
  randomStreetName: 'location.street',
  randomStreetAddress: 'location.streetAddress',
  randomCountry: 'location.country',
  randomCountryCode: 'location.countryCode',
  randomLatitude: 'location.latitude',
  randomLongitude: 'location.longitude',
  randomEmail: 'internet.email',
  randomExampleEmail: 'internet.exampleEmail',
  randomUserName: 'internet.username',
  randomPassword: 'internet.password',
  randomUrl: 'internet.url',
  randomDomainName: 'internet.domainName',
  randomDomainSuffix: 'internet.domainSuffix',
  randomDomainWord: 'internet.domainWord',
  randomIP: 'internet.ip',
  randomIPV6: 'internet.ipv6',
  randomMACAddress: 'internet.mac',
  randomProtocol: 'internet.protocol',
  randomUserAgent: 'internet.userAgent',
  randomSemver: 'system.semver',
  randomFileName: 'system.fileName',
  randomFileType: 'system.fileType',
  randomFileExt: 'system.fileExt',
  randomFilePath: 'system.filePath',
  randomDirectoryPath: 'system.directoryPath',
  randomMimeType: 'system.mimeType',
  randomCompanyName: 'company.name',
  randomCatchPhrase: 'company.catchPhrase',
  randomBs: 'company.buzzPhrase',
  randomDatabaseColumn: 'database.column',
  randomDatabaseType: 'database.type',
  randomDatabaseCollation: 'database.collation',
  randomDatabaseEngine: 'database.engine',
  randomDateFuture: 'date.future',
  randomDatePast: 'date.past',
  randomDateRecent: 'date.recent',
  randomWeekday: 'date.weekday',
  randomMonth: 'date.month',
  randomBankAccount: 'finance.accountNumber',
  randomBankAccountName: 'finance.accountName',
  randomBankAccountBic: 'finance.bic',
  randomBankAccountIban: 'finance.iban',
  randomTransactionType: 'finance.transactionType',
  randomCurrencyCode: 'finance.currencyCode',
  randomCurrencyName: 'finance.currencyName',
  randomCurrencySymbol: 'finance.currencySymbol',
  randomBitcoin: 'finance.bitcoinAddress',
  randomPrice: 'commerce.price',
  randomProduct: 'commerce.product',
  randomProductAdjective: 'commerce.productAdjective',
  randomProductMaterial: 'commerce.productMaterial',
  randomProductName: 'commerce.productName',
  randomDepartment: 'commerce.department',
  randomNoun: 'hacker.noun',
  randomVerb: 'hacker.verb',
  randomIngverb: 'hacker.ingverb',
  randomAdjective: 'hacker.adjective',
  randomWord: 'word.sample',
  randomWords: 'word.words',
  randomPhrase: 'hacker.phrase',
  randomAbbreviation: 'hacker.abbreviation',
  randomLoremWord: 'lorem.word',
  randomLoremWords: 'lorem.words',
  randomLoremSentence: 'lorem.sentence',
  randomLoremSentences: 'lorem.sentences',
  randomLoremParagraph: 'lorem.paragraph',
  randomLoremParagraphs: 'lorem.paragraphs',
  randomLoremText: 'lorem.text',
  randomLoremSlug: 'lorem.slug',
  randomLoremLines: 'lorem.lines',
  randomImageUrl: 'image.url',
  randomAvatarImage: 'image.avatar',
};
