import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { noContextSpread } from './ops/dev/lib/no-context-spread.mjs';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      '.build/',
      'node_modules/',
      'coverage/',
      'data/',
      'artifacts/',
      '.swift-lab/',
      '.ringway-demo/',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Numbers are safe to print; objects are not, and stay errors.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `while (true)` reads better than a fake condition in state machines.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['{src,supervisor,console,workers,bench}/**/*.ts'],
    plugins: { ringway: { rules: { 'no-context-spread': noContextSpread } } },
    rules: { 'ringway/no-context-spread': 'error' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // chai's property assertions (`expect(x).to.be.true`) are expressions.
      '@typescript-eslint/no-unused-expressions': 'off',
      // A test may state what it knows of a value that the types do not.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ['console/public/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'AbortSignal',
          'Blob',
          'Event',
          'EventSource',
          'FormData',
          'IntersectionObserver',
          'ResizeObserver',
          'TextDecoderStream',
          'TextEncoder',
          'URL',
          'URLSearchParams',
          'XMLSerializer',
          'XMLHttpRequest',
          'clearTimeout',
          'crypto',
          'document',
          'fetch',
          'getComputedStyle',
          'getSelection',
          'history',
          'localStorage',
          'sessionStorage',
          'location',
          'matchMedia',
          'navigator',
          'performance',
          'setInterval',
          'setTimeout',
          'window',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['ops/**/*.mjs', 'eslint.config.js'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        Buffer: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
      },
    },
  },
);
