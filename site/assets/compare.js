"use strict";
// Sets any two sides of the site against each other, with the figures of mmbench/report/stats and the words of
// mmbench/report/pages/versus.py. A side's data comes as a script: a page opened from a file can load nothing else.
(() => {
  const TIE = 1e-9, ROUNDING = 1e-9, MIN_CASES = 8;
  const data = document.getElementById("sides");
  const { root } = document.currentScript.dataset;
  if (!data) return;
  const { sides, cases, rows: LIMIT } = JSON.parse(data.textContent);
  const byKey = new Map(sides.map((side) => [side.key, side]));
  const known = new Set(cases);

  // ---- statistics: mmbench/power.py and mmbench/report/stats

  const sum = (values) => {
    let total = 0, lost = 0;
    for (const value of values) {
      const next = total + value;
      lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
      total = next;
    }
    return total + lost;
  };

  const LANCZOS = [676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  const lgamma = (x) => {
    if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
    const t = x + 6.5;
    const series = LANCZOS.reduce((all, c, i) => all + c / (x + i), 0.99999999999980993);
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
  };

  const fraction = (a, b, x) => {
    let value = 1, c = 1, d = 0;
    for (let step = 1; step < 100000; step += 1) {
      const m = step >> 1;
      const term = step % 2
        ? (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
        : (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / (1 + term * d || 1e-300);
      c = 1 + term / c || 1e-300;
      value *= c * d;
      if (Math.abs(c * d - 1) < 1e-15) break;
    }
    return value;
  };

  const betainc = (a, b, x) => {
    if (x === 0 || x === 1) return x;
    if (x > (a + 1) / (a + b + 2)) return 1 - betainc(b, a, 1 - x);
    const front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * Math.log(x) + b * Math.log1p(-x);
    return Math.exp(front) / (a * fraction(a, b, x));
  };

  const tail = (t, df) => betainc(df / 2, 0.5, df / (df + t * t)) / 2;

  const quantile = (p, df) => {
    let low = 0, high = 1;
    while (tail(high, df) > 1 - p) [low, high] = [high, high * 2];
    for (let step = 0; step < 80; step += 1) {
      const middle = (low + high) / 2;
      if (tail(middle, df) > 1 - p) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };

  // Exact: whole numbers of any size, so nothing is rounded.
  const mcnemar = (first, second) => {
    const n = first + second;
    let ways = 1n, all = 0n;
    for (let k = 0; k <= Math.min(first, second); k += 1) {
      all += ways;
      ways = (ways * BigInt(n - k)) / BigInt(k + 1);
    }
    const shift = Math.max(0, n - 1000);
    return Math.min(1, Number((2n * all) >> BigInt(shift)) / 2 ** (n - shift));
  };

  const clusteredError = (values, clusters, mean) => {
    const groups = new Map();
    values.forEach((value, i) => groups.set(clusters[i], (groups.get(clusters[i]) || 0) + value - mean));
    const count = groups.size;
    return Math.sqrt((count / (count - 1)) * sum([...groups.values()].map((s) => s * s))) / values.length;
  };

  const EQUAL = "Every case moved alike: the interval is an exact bound on the share of cases that would not.";

  const lift = (gains, clusters) => {
    const n = gains.length, point = n ? sum(gains) / n : null, groups = new Set(clusters).size;
    if (!n) return { point, low: null, high: null, note: "No sound pair." };
    const few = groups < 6 ? `With ${groups} clusters the sign-flip test cannot reach p < 0.05.` : "";
    const told = (low, high, ...notes) => ({ point, low, high, note: notes.filter(Boolean).join(" ") });
    const over = (low, high, ...notes) => told(low, high, ...notes, few, low <= 0 && high >= 0 ? "Not distinguishable from 0." : "");
    if (groups < 2) return told(null, null, "Insufficient: a single cluster has no standard error, so there is no interval.");
    if (n < MIN_CASES) return told(null, null, `The interval is withheld under ${MIN_CASES} cases.`, few);
    const scale = Math.max(...gains.map(Math.abs));
    if (Math.max(...gains) - Math.min(...gains) <= ROUNDING * scale) {
      const share = 1 - 0.025 ** (1 / n);
      return over((1 - share) * point - 100 * share, (1 - share) * point + 100 * share, EQUAL);
    }
    let error = clusteredError(gains, clusters, point);
    if (error <= ROUNDING * scale) error = clusteredError(gains, gains.map((_, i) => i), point);
    const half = quantile(0.975, groups - 1) * error;
    return over(Math.max(-100, point - half), Math.min(100, point + half));
  };

  const compare = (left, right) => {
    const others = new Map(right.cases.map((one) => [one[0], one]));
    const shared = left.cases.filter((one) => others.has(one[0])).map(([name, cluster, threshold, mean]) => {
      const other = others.get(name)[3], difference = other - mean;
      const outcome = Math.abs(difference) <= TIE ? 0 : Math.sign(difference);
      return { name, cluster, left: mean, right: other, difference, outcome, passed: [mean >= threshold, other >= threshold] };
    });
    const count = (test) => shared.filter(test).length;
    const found = {
      n: shared.length,
      wins: count((one) => one.outcome > 0),
      ties: count((one) => one.outcome === 0),
      losses: count((one) => one.outcome < 0),
      both: count((one) => one.passed[0] && one.passed[1]),
      only_left: count((one) => one.passed[0] && !one.passed[1]),
      only_right: count((one) => !one.passed[0] && one.passed[1]),
      neither: count((one) => !one.passed[0] && !one.passed[1]),
      lift: lift(shared.map((one) => one.difference), shared.map((one) => one.cluster)),
      only: [left.cases.length - shared.length, right.cases.length - shared.length],
      left_out: [left.left_out, right.left_out],
    };
    found.p_sign = mcnemar(found.losses, found.wins);
    found.p_mcnemar = mcnemar(found.only_left, found.only_right);
    const byName = (a, b) => (a.name < b.name ? -1 : 1);
    found.cases = shared.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || byName(a, b));
    return found;
  };

  // ---- words: mmbench/report/figures.py and pages/versus.py

  // As Python rounds: what lies exactly between two goes to the even one.
  const fixed = (value, digits) => {
    const size = Math.abs(value), scaled = size * 10 ** digits;
    const between = (size * 2 ** (digits + 1)) % 1 === 0 && scaled % 1 === 0.5;
    const even = Math.floor(scaled) % 2 ? Math.ceil(scaled) : Math.floor(scaled);
    return between ? (even / 10 ** digits).toFixed(digits) : size.toFixed(digits);
  };
  const number = (value, digits = 1) => {
    if (value === null) return "–";
    const text = fixed(value, digits);
    return value < 0 && parseFloat(text) ? `\u2212${text}` : text;
  };
  const signed = (value) => (value > 0 && parseFloat(number(value)) ? `+${number(value)}` : number(value));
  const direction = (value) => (value === null || Math.abs(value) < 0.05 ? "flat" : value > 0 ? "up" : "down");
  const chance = (p) => (p < 0.001 ? "p < 0.001" : `p = ${number(p, 3)}`);
  const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

  const words = (found, names) => {
    const { n, lift: { point, low, high, note } } = found;
    const [left, right] = names;
    const told = names.flatMap((name, i) => (found.only[i] ? [`${counted(found.only[i], "case")} only of ${name}`] : []));
    const lost = names.flatMap((name, i) =>
      found.left_out[i] ? [`${counted(found.left_out[i], "trial")} of ${name} without a score that counts`] : []);
    const rest = [...told, ...lost].join("; ");
    return {
      left, right, note, wins: found.wins, ties: found.ties, losses: found.losses, both: found.both,
      only_left: found.only_left, only_right: found.only_right, neither: found.neither,
      finding: n
        ? `${right} is ahead in ${found.wins} of ${counted(n, "case")}, behind in ${found.losses}, level in ${found.ties}.`
        : "They have no case in common that both finished.",
      difference: signed(point),
      interval: low === null ? "" : `${signed(low)}\u00a0…\u00a0${signed(high)}`,
      p_sign: chance(found.p_sign),
      p_mcnemar: chance(found.p_mcnemar),
      rest: rest ? `Left out: ${rest}.` : "",
      caption: `${counted(n, "case")}, those that differ most first${n > LIMIT ? `; the first ${LIMIT}` : ""}`,
    };
  };

  // ---- the page

  const put = (place, texts) => {
    for (const [name, text] of Object.entries(texts)) {
      for (const spot of place.querySelectorAll(`[data-put="${name}"]`)) spot.textContent = text;
    }
  };

  const row = (one) => {
    const made = document.getElementById("row").content.querySelector("tr").cloneNode(true);
    const [head, left, right, difference] = made.cells;
    if (known.has(one.name)) {
      const link = document.createElement("a");
      link.href = `${root}case/${one.name}.html`;
      link.textContent = one.name;
      head.append(link);
    } else head.append(one.name);
    left.textContent = number(one.left);
    right.textContent = number(one.right);
    difference.textContent = signed(one.difference);
    difference.classList.add(direction(one.difference));
    const start = fixed(one.left, 1), end = fixed(one.right, 1);
    made.querySelector(".dot-left").setAttribute("cx", start);
    made.querySelector(".bar").setAttribute("d", `M${start} 6H${end}`);
    made.querySelector(".bar").classList.add(direction(one.difference));
    made.querySelector(".dot-right").setAttribute("d", `M${end} 1.5l4.5 4.5-4.5 4.5-4.5-4.5z`);
    return made;
  };

  const section = (arm, left, right, names) => {
    const found = compare(left, right);
    const made = document.getElementById("arm").content.querySelector("section").cloneNode(true);
    const id = `chosen-${arm.replace(" ", "-")}`;
    const heading = made.querySelector("h2");
    heading.textContent = arm[0].toUpperCase() + arm.slice(1);
    heading.id = id;
    made.setAttribute("aria-labelledby", id);
    for (const region of made.querySelectorAll("[role=region]")) region.setAttribute("aria-label", region.getAttribute("aria-label") + arm);
    put(made, words(found, names));
    const { low, high, point } = found.lift;
    const clear = low !== null && (low > 0 || high < 0);
    made.querySelector("strong[data-put=difference]").className = clear ? direction(point) : "flat";
    made.querySelector("table.duel tbody").append(...found.cases.slice(0, LIMIT).map(row));
    made.querySelector(".found").hidden = !found.n;
    return made;
  };

  const loaded = new Map();
  window.mmbenchSide = (key, arms) => loaded.set(key, arms);
  const load = (side) => loaded.has(side.key) || new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + side.file;
    script.onload = done;
    script.onerror = () => failed(new Error(side.file));
    document.head.append(script);
  });

  const form = document.getElementById("choose");
  const result = document.getElementById("result");
  const [first, second] = form.querySelectorAll("select");
  let asked = 0;

  const show = async () => {
    const turn = (asked += 1);
    const left = byKey.get(first.value), right = byKey.get(second.value);
    const names = left.group === right.group ? [left.brief, right.brief] : [left.full, right.full];
    const arms = result.querySelector(".arms");
    put(result, { left: names[0], right: names[1], method_left: left.method, method_right: right.method, status: "" });
    result.querySelector(".banner").hidden = left.method === right.method;
    result.hidden = false;
    try {
      await Promise.all([load(left), load(right)]);
      if (turn !== asked) return;
      const [one, other] = [loaded.get(left.key), loaded.get(right.key)];
      arms.replaceChildren(...Object.keys(one).map((arm) => section(arm, one[arm], other[arm], names)));
      put(result, { status: `Compared: ${names[0]} and ${names[1]}.` });
    } catch {
      arms.replaceChildren();
      put(result, { status: "The data of this comparison could not be loaded." });
    }
  };

  const address = () => `#${new URLSearchParams({ left: first.value, right: second.value })}`;

  // The neighbour of a side in its group, where it has one.
  const partner = (key) => {
    const group = sides.filter((side) => side.group === byKey.get(key).group);
    const at = group.findIndex((side) => side.key === key);
    return (group[at + 1] ?? group[at - 1] ?? sides.find((side) => side.key !== key)).key;
  };

  // Both sides as the address names them, or one of them and its neighbour; false when it names none.
  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1) || location.search);
    const [left, right] = [asked.get("left"), asked.get("right")];
    if (!byKey.has(left) && !byKey.has(right)) return false;
    first.value = byKey.has(left) ? left : partner(right);
    second.value = byKey.has(right) ? right : partner(left);
    return true;
  };

  for (const select of [first, second]) {
    for (const group of new Set(sides.map((side) => side.group))) {
      const made = document.createElement("optgroup");
      made.label = group;
      for (const side of sides) if (side.group === group) made.append(new Option(side.brief, side.key));
      select.append(made);
    }
    select.addEventListener("change", () => (location.hash = address()));
  }
  second.value = sides[1].key;
  form.querySelector("button").addEventListener("click", () => {
    [first.value, second.value] = [second.value, first.value];
    location.hash = address();
  });
  form.hidden = false;
  document.getElementById("unscripted").remove();
  addEventListener("hashchange", () => read() && show());
  read();
  show();
})();
