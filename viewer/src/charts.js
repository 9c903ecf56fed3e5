// SPDX-License-Identifier: Apache-2.0
// Small charts over the steps: of shares (0 .. 1), or of numbers up to a maximum.

/**
 * series: [{values, start, ready, letter?, dashed?}]: the letter is its name if there are two; values are known from
 * `start` to `ready`; the second series is dashed unless `dashed` is false. step: the current step; most: the number at
 * the top, 0 for shares.
 */
export function drawChart(canvas, series, steps, step, most = 0) {
  const ratio = Math.min(devicePixelRatio, 2);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const style = getComputedStyle(document.documentElement);
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const left = 40;
  const right = width - 4;
  const top = 5;
  const bottom = height - 15;
  const x = (at) => left + ((right - left) * at) / Math.max(1, steps);
  const y = (value) => bottom - (bottom - top) * (most ? value / most : value);
  const labels = most ? [[0, '0'], [most, String(most)]] : [[0, '0'], [0.5, '50 %'], [1, '100 %']];
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = style.getPropertyValue('--faint');
  context.strokeStyle = style.getPropertyValue('--line');
  context.textAlign = 'right';
  for (const [value, label] of labels) {
    context.fillText(label, left - 4, y(value) + 4);
    context.beginPath();
    context.moveTo(left, y(value));
    context.lineTo(right, y(value));
    context.stroke();
  }
  context.fillText(String(steps), right, height - 3);
  context.textAlign = 'left';
  context.fillText('0', left, height - 3);
  for (const [i, {values, start, ready, letter, dashed = i > 0}] of series.entries()) {
    if (ready < start) continue;
    context.strokeStyle = style.getPropertyValue(dashed ? '--second' : '--chart');
    context.setLineDash(dashed ? [5, 3] : []);
    context.lineWidth = 1.6;
    context.beginPath();
    const stride = Math.max(1, Math.floor(ready / 600));
    for (let at = start; at < ready; at += stride) context.lineTo(x(at), y(values[at]));
    context.lineTo(x(ready), y(values[ready]));
    context.stroke();
    if (!letter) continue;
    // Next to the curve, A at one third of its length and B at two thirds, so that equal curves
    // show both.
    const named = Math.round(start + ((ready - start) * (i + 1)) / 3);
    context.fillStyle = context.strokeStyle;
    context.fillText(letter, x(named) + 4, Math.min(bottom - 2, y(values[named]) + 12));
  }
  context.setLineDash([]);
  context.lineWidth = 1;
  context.strokeStyle = style.getPropertyValue('--select');
  context.beginPath();
  context.moveTo(x(step), top);
  context.lineTo(x(step), bottom);
  context.stroke();
}
