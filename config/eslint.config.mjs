import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const limits = {
  complexity: ['error', 10],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  'max-lines': ['error', { max: 500 }],
  'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
}

const syntax = {
  enums: { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
  defaultExports: { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
}

export default defineConfig(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/generated/**', 'coverage/**', 'ordeal-out/**'] },
  // A rule that is wrong somewhere is changed here, for everybody to see.
  { linterOptions: { noInlineConfig: true } },
  { files: ['**/*.{mjs,cjs}'], rules: limits },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    rules: {
      ...limits,
      'no-console': 'error',
      'no-restricted-syntax': ['error', syntax.enums, syntax.defaultExports],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read the environment through the configuration module.' },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    // What runs inside an embedded cluster is copied with it when it forks; a private name cannot be seen from outside.
    files: ['libs/embedded-cluster/src/**/*.ts', 'libs/prober/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        syntax.enums,
        syntax.defaultExports,
        { selector: 'PrivateIdentifier', message: 'Use `private`: a fork cannot copy #names (ADR 0010).' },
      ],
    },
  },
  {
    // Fakes answer at once where the real thing waits; jest's matchers are `any`.
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'tests/**/*.ts'],
    rules: {
      'max-params': 'off',
      'no-restricted-properties': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  { files: ['**/*config*.ts'], rules: { 'no-restricted-properties': 'off' } },
  // Jest asks for default exports there.
  { files: ['tests/setup/*.ts'], rules: { 'no-restricted-syntax': ['error', syntax.enums] } },
)
