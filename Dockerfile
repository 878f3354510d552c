# pitboss with the compilers of its examples, for machines where nothing may be installed.
#
#   docker build -t pitboss .
#   docker run --rm -v "$PWD:/work" pitboss check play
#
# What confines a submission in a container. The container itself keeps it from the machine, but not from what is mounted
# at /work, nor from the network. Inside, pitboss uses the best that the container allows: `pitboss doctor` tells. Docker's
# default rules forbid what bubblewrap needs; Landlock and the filter of system calls work with them, on a kernel with
# Landlock, and keep submissions from files, the network and other processes. For bubblewrap, and for watched sessions
# where doctor says that they are refused:
#
#   docker run --rm --security-opt seccomp=unconfined --security-opt systempaths=unconfined -v "$PWD:/work" pitboss check
#
# --sandbox require refuses to run without bubblewrap. For submissions of strangers add --network none.
# Ubuntu and not Debian: it has dotnet, which builds the C# of today.
FROM ubuntu:24.04

# As tests/parts.py lists them, but for what only tests need.
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        bubblewrap \
        default-jdk-headless \
        dotnet-sdk-8.0 \
        g++ \
        gcc \
        git \
        libc6-dev \
        lua5.4 \
        make \
        patch \
        python3 \
        python3-venv \
        rustc \
    && rm -rf /var/lib/apt/lists/*

# With the extra for handouts and style facts: nothing can be installed later.
COPY pyproject.toml README.md LICENSE /src/
COPY docs/assignment.schema.json docs/check.schema.json docs/grade.schema.json docs/mistake.schema.json docs/mutants.schema.json docs/scores.schema.json docs/similarity.schema.json docs/spec.schema.json docs/words.schema.json /src/docs/
COPY harness /src/harness
COPY reference /src/reference
COPY specs /src/specs
COPY student_templates /src/student_templates
RUN python3 -m venv /opt/pitboss \
    && /opt/pitboss/bin/pip install --no-cache-dir --disable-pip-version-check '/src[review]' \
    && rm -rf /src

# Submissions never run as root. The image comes with a user of its own, who has the usual number.
RUN userdel --remove ubuntu \
    && useradd --create-home --uid 1000 pitboss \
    && mkdir /work \
    && chown pitboss:pitboss /work
USER pitboss
ENV LANG=C.UTF-8 PATH=/opt/pitboss/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /work
ENTRYPOINT ["pitboss"]
