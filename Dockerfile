# drretail in an image: docker build -t drretail . && docker run --rm drretail demo
FROM python:3.12-slim
COPY . /src
RUN pip install --no-cache-dir "/src[mcp,ui]" && rm -rf /src \
    && useradd --create-home shopper
USER shopper
WORKDIR /home/shopper
ENTRYPOINT ["drretail"]
CMD ["demo"]
