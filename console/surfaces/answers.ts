import type { CommonAnswers, CommonNews } from '../server/answers.js';
import type { RegisteredTypes } from './registry.js';

/** All of them at once, where a union is one of them. */
type All<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer Whole) => void
  ? Whole
  : never;

type AnswersOf<T> = T extends { readonly answers: infer Own } ? Own : never;
type NewsOf<T> = T extends { readonly news: infer Own } ? Own : never;

/**
 * The body of each answer that pages read, by method and path, as surfaces declare it. The pages are
 * checked against it (console/tsconfig.pages.json), so that a route whose answer changes breaks the
 * check of the pages that read it.
 */
export type Answers = CommonAnswers & All<AnswersOf<RegisteredTypes>>;

/** The answer of a route; unknown for a route that is not in {@link Answers}. */
export type AnswerTo<
  Method extends string,
  Path extends string,
> = `${Method} ${Path}` extends keyof Answers ? Answers[`${Method} ${Path}`] : unknown;

/** The content of events, by topic. */
export type News = CommonNews & All<NewsOf<RegisteredTypes>>;
