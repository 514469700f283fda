# docker build -t depo .
# docker run --rm --user "$(id -u)" -e HOME=/tmp -v "$PWD":/home/depo/work depo train depo --out runs/mine
# With extras: docker build --build-arg EXTRAS=mujoco,minari -t depo .
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip wheel --no-deps --no-cache-dir --wheel-dir /wheels .

FROM python:3.11-slim
ARG EXTRAS=""
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/depo-*.whl)${EXTRAS:+[$EXTRAS]}" && rm -r /wheels
RUN useradd --create-home --uid 1000 depo && install --directory --owner=depo /home/depo/work
USER depo
WORKDIR /home/depo/work
ENTRYPOINT ["depo"]
CMD ["--help"]
