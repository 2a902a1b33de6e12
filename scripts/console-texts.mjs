// Writes apps/admin/texts.json: every text of the console by the file that shows it, as read from the source.
// scripts/console-texts.test.ts fails when the list has drifted, or when a text breaks the rules of CONTRIBUTING.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'apps/admin/src');
const LIST = join(ROOT, 'apps/admin/texts.json');

/** Tests, descriptions of variables, and snippets of code in the vendors’ languages. */
const WITHOUT_TEXTS = /\.test\.tsx?$|test-support|^config\.ts$|^features\/playground\/code\//;

/** Attributes and properties whose words are no text: names, addresses, styles, types. */
const WITHOUT_TEXT =
  /^(?:.*ClassName|.*Class|accept|allow|as|autoComplete|class|className|clipRule|cookie|d|fill|fillRule|font\w*|form|gradient\w*|height|href|htmlFor|id|inputMode|key|keywords|lang|method|name|path|points|rel|role|side|size|sizes|src|stroke\w*|style|tabIndex|target|tone|transform|type|variant|viewBox|width|xmlns)$/;

/** Calls whose arguments are no text of a page: styles, code, log lines, and errors of the program itself. */
const WITHOUT_TEXT_CALLS =
  /^(?:\w*Error|Intl|debug|error|info|warn|clsx|cva|require|RegExp|URL|startsWith|endsWith|includes|querySelector\w*|closest|matches|getItem|setItem|removeItem|addEventListener|removeEventListener|setAttribute|getAttribute|split|join|getPropertyValue)$/;

/** @returns texts in the order of the source, by file */
export function textsInSource() {
  const texts = {};
  for (const file of filesOf(SOURCE)) {
    const found = new Set(textsIn(readFileSync(file, 'utf8'), file.endsWith('.tsx')));
    if (found.size > 0) texts[relative(SOURCE, file)] = [...found];
  }
  return texts;
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => /\.tsx?$/.test(file) && !WITHOUT_TEXTS.test(file))
    .map((file) => join(folder, file))
    .toSorted();
}

/** The texts of one file. A value in a text is written as `{name}`, an element as `<Name>…</Name>`. */
export function textsIn(source, tsx) {
  const found = [];
  visit(parseSync(source, { syntax: 'typescript', tsx }), found);
  return found;
}

function visit(node, found) {
  if (Array.isArray(node)) {
    for (const inner of node) visit(inner, found);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const read = READERS[node.type];
  if (read) read(node, found);
  else for (const inner of Object.values(node)) visit(inner, found);
}

const nothing = () => undefined;

const READERS = {
  ImportDeclaration: nothing,
  ExportAllDeclaration: nothing,
  TsTypeAnnotation: nothing,
  TsTypeAliasDeclaration: nothing,
  TsInterfaceDeclaration: nothing,
  TsTypeParameterInstantiation: nothing,
  TsAsExpression: ({ expression }, found) => visit(expression, found),
  TsSatisfiesExpression: ({ expression }, found) => visit(expression, found),
  StringLiteral: ({ value }, found) => add(value, found),
  TemplateLiteral: (node, found) => {
    add(template(node), found);
    visit(node.expressions, found);
  },
  TaggedTemplateExpression: nothing,
  // A directive such as "use client".
  ExpressionStatement: ({ expression }, found) => {
    if (expression.type !== 'StringLiteral') visit(expression, found);
  },
  SwitchCase: ({ consequent }, found) => visit(consequent, found),
  BinaryExpression: (node, found) => {
    // Compared values are no texts.
    if (/^(?:[=!]==?|in)$/.test(node.operator)) {
      for (const side of [node.left, node.right])
        if (side.type !== 'StringLiteral') visit(side, found);
      return;
    }
    visit([node.left, node.right], found);
  },
  MemberExpression: ({ object }, found) => visit(object, found),
  CallExpression: ({ arguments: given, callee }, found) => {
    visit(callee, found);
    if (!WITHOUT_TEXT_CALLS.test(nameOf(callee))) visit(given, found);
  },
  NewExpression: ({ arguments: given, callee }, found) => {
    if (!WITHOUT_TEXT_CALLS.test(nameOf(callee))) visit(given, found);
  },
  KeyValueProperty: ({ key, value }, found) => {
    if (!WITHOUT_TEXT.test(nameOf(key)) || !isLiteral(value)) visit(value, found);
  },
  VariableDeclarator: ({ id, init }, found) => {
    if (!/^(?:[A-Z_]*CLASS(?:ES)?|[A-Z_]*STYLES?)$/.test(nameOf(id))) visit(init, found);
  },
  JSXAttribute: ({ name, value }, found) => {
    if (!WITHOUT_TEXT.test(nameOf(name))) visit(value, found);
  },
  JSXElement: element,
  JSXFragment: element,
};

function element(node, found) {
  visit(node.opening?.attributes, found);
  const { children } = node;
  if (!children.some((child) => child.type === 'JSXText' && /\p{L}/u.test(child.value))) {
    visit(children, found);
    return;
  }
  const inner = [];
  const text = written(children, inner);
  if (text !== '') found.push(text);
  visit(inner, found);
}

/** The text of elements within a text; `inner` gets what else is in them. */
function written(children, inner) {
  return children
    .map((child) => {
      if (child.type === 'JSXText') return child.value.replaceAll(/\s*\n\s*/g, (gap) => gap && ' ');
      if (child.type === 'JSXExpressionContainer') return ofExpression(child.expression, inner);
      if (child.type !== 'JSXElement') return '';
      inner.push(...(child.opening.attributes ?? []));
      const name = nameOf(child.opening.name);
      const within = written(child.children, inner);
      return within === '' ? `<${name}/>` : `<${name}>${within}</${name}>`;
    })
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function ofExpression(expression, inner) {
  if (expression.type === 'StringLiteral') return expression.value;
  if (expression.type === 'TemplateLiteral') {
    inner.push(...expression.expressions);
    return template(expression);
  }
  inner.push(expression);
  return expression.type === 'JSXEmptyExpression' ? '' : `{${nameOf(expression)}}`;
}

function template({ expressions, quasis }) {
  return quasis
    .map(({ cooked }, at) => (at === 0 ? '' : `{${nameOf(expressions[at - 1])}}`) + cooked)
    .join('');
}

function nameOf(node) {
  if (node === null || node === undefined) return '';
  switch (node.type) {
    case 'Identifier':
    case 'StringLiteral':
      return node.value;
    case 'JSXNamespacedName':
      return `${nameOf(node.namespace)}-${nameOf(node.name)}`;
    case 'MemberExpression':
      return nameOf(node.property);
    case 'JSXMemberExpression':
      return `${nameOf(node.object)}.${nameOf(node.property)}`;
    case 'CallExpression':
      return nameOf(node.callee);
    case 'OptionalChainingExpression':
      return nameOf(node.base);
    case 'TsNonNullExpression':
    case 'ParenthesisExpression':
    case 'TsAsExpression':
      return nameOf(node.expression);
    case 'BinaryExpression':
      return nameOf(node.left) || nameOf(node.right);
    case 'ConditionalExpression':
      return nameOf(node.test) || 'one';
    default:
      return '';
  }
}

const isLiteral = ({ type }) => type === 'StringLiteral' || type === 'TemplateLiteral';

function add(value, found) {
  if (isText(value)) found.push(value);
}

/** Whether people read a string: a sentence, or a word that begins with a capital. */
function isText(value) {
  const words = value.replaceAll(/\{\w*\}/g, '').trim();
  if (!/\p{L}{2}/u.test(words)) return false;
  if (/^[A-Z][a-z]+$/.test(words)) return true;
  if (!/\s/.test(value.trim()) || /[{}]|^\/|::|\/\w*\//.test(words)) return false;
  if (/^[A-Z“‘]/.test(words)) return true;
  if (/[;=<>]/.test(words)) return false;
  // Names of styles are in lower case, and have a dash or a digit.
  return !words
    .split(/\s+/)
    .some((word) => /^[!\w[\]/:.%-]*(?:-|:|\d|\[)[!\w[\]/:.%-]*$/.test(word) && !/^\d/.test(word));
}

if (process.argv[1] === import.meta.filename) {
  const text = `${JSON.stringify(textsInSource(), null, 2)}\n`;
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(LIST, text);
}
