// What `npm run explore` varies: the seed of what is random, and how much of it is played. In the checks both are fixed, so that a failure
// comes from the change; what is huge is small in `npm test`, and large in `npm test -- --all`.
//   THREADKEEP_SEED=1234    the chances of an earlier run
//   THREADKEEP_AMOUNT=500   so many, of whatever the file plays: kills, histories, archives, seconds

const given = (variable) => (process.env[variable] === undefined ? undefined : Number(process.env[variable]));

export const seed = given("THREADKEEP_SEED") ?? 1;

/** Whether this is a part of `npm test -- --all`. */
export const isAll = Boolean(process.env.THREADKEEP_ALL);

/** How much of something random or huge is played: a `few` in `npm test`, and in `npm test -- --all` as many as `all` says. */
export const amount = (few, all = few) => given("THREADKEEP_AMOUNT") ?? (isAll ? all : few);
